// The peer for comparison: the same redirect, sign-up and page of friends, with Go's net/http and a pgx pool of 8 connections.
//
// It runs the statements that pgbench runs (bench/pgbench/*.sql), so all three do the same work.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

type peer struct {
	pool    *pgxpool.Pool
	origin  string
	keyHash [32]byte
	landing statement
	signup  []statement
	list    statement
}

func main() {
	listen := flag.String("listen", "127.0.0.1:8090", "address")
	database := flag.String("database", "", "PostgreSQL URL")
	scripts := flag.String("scripts", "bench/pgbench", "folder of the statements")
	key := flag.String("key", "kith_bench", "the API key that acts for users")
	flag.Parse()

	p := &peer{origin: "http://" + *listen, keyHash: hash(*key)}
	p.landing = readStatements(*scripts + "/landing.sql")[0]
	p.signup = readStatements(*scripts + "/signup.sql")
	p.list = readStatements(*scripts + "/friends.sql")[0]

	config, err := pgxpool.ParseConfig(*database)
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = 8
	config.MinConns = 8
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		for _, s := range append([]statement{p.landing, p.list}, p.signup...) {
			if _, err := c.Prepare(ctx, s.sql, s.sql); err != nil {
				return err
			}
		}
		return nil
	}
	if p.pool, err = pgxpool.ConnectConfig(context.Background(), config); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("User-agent: *\n")) })
	http.HandleFunc("/users/", p.showLanding)
	http.HandleFunc("/v1/signup", p.signUp)
	http.HandleFunc("/v1/friends", p.listFriends)
	log.Fatal(http.ListenAndServe(*listen, nil))
}
