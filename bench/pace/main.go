// Sends requests at a fixed rate over a fixed number of connections, however long answers take.
//
// The time of a request counts from when it is due, even if no connection is free then, so that a stall shows in all requests
// that were due meanwhile. Prints one line of JSON, with times in milliseconds.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type load struct {
	requests []*http.Request
	interval time.Duration // 0: as fast as answers come
	start    time.Time
	end      time.Time
	next     int64
	failed   int64
}

func main() {
	origin := flag.String("origin", "", "the server's origin, as http://127.0.0.1:8080")
	targets := flag.String("targets", "", "file with one request a line: PATH, or PATH UID; sent in turn")
	key := flag.String("key", "", "API key that acts for the UIDs")
	rate := flag.Float64("rate", 0, "requests a second; 0: as fast as answers come")
	connections := flag.Int("connections", 32, "connections")
	warmup := flag.Float64("warmup", 1, "seconds of warm-up, not measured")
	seconds := flag.Float64("seconds", 5, "seconds to measure")
	flag.Parse()

	l := &load{requests: readTargets(*targets, *origin, *key)}
	if *rate > 0 {
		l.interval = time.Duration(float64(time.Second) / *rate)
	}
	l.run(*connections, *warmup)
	began := time.Now()
	times := l.run(*connections, *seconds)
	sort.Float64s(times)
	if len(times) == 0 {
		log.Fatal("no answers")
	}
	at := func(part float64) float64 { return times[int(part*float64(len(times)-1))] }
	json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"rate": float64(len(times)) / time.Since(began).Seconds(), "answers": len(times), "failed": l.failed,
		"p50": at(0.5), "p99": at(0.99), "max": at(1),
	})
}

func readTargets(path, origin, key string) (requests []*http.Request) {
	file, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		request, err := http.NewRequest("GET", origin+words[0], nil)
		if err != nil {
			log.Fatal(err)
		}
		if len(words) > 1 {
			request.Header.Set("Authorization", "Bearer "+key)
			request.Header.Set("Kith-User", words[1])
		}
		requests = append(requests, request)
	}
	if len(requests) == 0 {
		log.Fatal(path + " is empty")
	}
	return requests
}

// run returns the time of every answer.
func (l *load) run(connections int, seconds float64) []float64 {
	l.start = time.Now()
	l.end = l.start.Add(time.Duration(seconds * float64(time.Second)))
	first := l.next
	all := make([][]float64, connections)
	var workers sync.WaitGroup
	for i := range all {
		workers.Add(1)
		go func(times *[]float64) {
			defer workers.Done()
			l.connection(first, times)
		}(&all[i])
	}
	workers.Wait()
	var times []float64
	for _, some := range all {
		times = append(times, some...)
	}
	return times
}

func (l *load) connection(first int64, times *[]float64) {
	client := &http.Client{
		Transport:     &http.Transport{},
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	for {
		n := atomic.AddInt64(&l.next, 1) - 1
		due := time.Now()
		if l.interval > 0 {
			due = l.start.Add(time.Duration(n-first) * l.interval)
		}
		if due.After(l.end) {
			return
		}
		if wait := time.Until(due); wait > 0 {
			time.Sleep(wait)
			due = time.Now() // Go's timers are up to a millisecond late, which is not the server's fault.
		}
		response, err := client.Do(l.requests[n%int64(len(l.requests))].Clone(context.Background()))
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
		if err != nil || response.StatusCode >= 400 {
			atomic.AddInt64(&l.failed, 1)
		}
		*times = append(*times, time.Since(due).Seconds()*1000)
	}
}
