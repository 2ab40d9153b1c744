package main

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"strings"
)

type account struct {
	isInviter                                          bool
	uid, username                                      string
	displayName                                        *string
	isActive, historyComplete, hadName, severed, known bool
}

// decide is the rule of who a link leads to: the account, and whether its name in the path is an old one.
func decide(name string, accounts []account) (target *account, moved bool) {
	for i := range accounts {
		a := &accounts[i]
		if !a.isActive {
			return nil, false
		}
		if !a.isInviter {
			return a, false
		}
		if name == a.username {
			return a, false
		}
		if a.hadName || strings.EqualFold(name, a.username) {
			return a, true
		}
		if a.severed || a.known || a.historyComplete {
			return nil, false
		}
		return a, true
	}
	return nil, false
}

func (p *peer) accounts(ctx context.Context, name, invitedBy string) ([]account, error) {
	values := map[string]interface{}{"id": userID(invitedBy), "name": strings.ToLower(name)}
	rows, err := p.pool.Query(ctx, p.landing.sql, p.landing.arguments(values)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []account
	for rows.Next() {
		var a account
		err := rows.Scan(&a.isInviter, &a.uid, &a.username, &a.displayName, &a.isActive,
			&a.historyComplete, &a.hadName, &a.severed, &a.known)
		if err != nil {
			return nil, err
		}
		found = append(found, a)
	}
	return found, rows.Err()
}

func (p *peer) showLanding(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/users/")
	accounts, err := p.accounts(r.Context(), name, r.URL.Query().Get("invitedBy"))
	if err != nil {
		http.Error(w, "unavailable", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	switch target, moved := decide(name, accounts); {
	case target == nil:
		http.NotFound(w, r)
	case moved:
		w.Header().Set("Location", p.origin+"/users/"+target.username+"?"+r.URL.RawQuery)
		w.WriteHeader(http.StatusFound)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>%[1]s</title><h1>%[1]s invites you</h1>", html.EscapeString(target.username))
	}
}
