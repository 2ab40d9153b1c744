package main

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v4"
)

type account struct {
	uid, username                    string
	displayName, avatarURL, metadata *string
	isActive, historyComplete        bool
	invites                          string // What their link may do; "off" if an operator froze it.
	severed                          *bool  // Of a name they had.
}

// decide says where a link with a known uid leads: to the account, by its current or an old name, or nowhere.
func decide(name string, a *account) (target *account, moved bool) {
	switch {
	case a == nil || !a.isActive:
		return nil, false
	case name == a.username:
		return a, false
	case a.severed != nil && !*a.severed || strings.EqualFold(name, a.username):
		return a, true
	}
	return nil, false
}

func (p *peer) account(ctx context.Context, name, invitedBy string) (*account, error) {
	values := map[string]interface{}{"id": userID(invitedBy), "name": strings.ToLower(name)}
	var a account
	var id [16]byte
	err := p.pool.QueryRow(ctx, p.landing.sql, p.landing.arguments(values)...).Scan(
		&id, &a.uid, &a.username, &a.displayName, &a.avatarURL, &a.metadata, &a.isActive, &a.historyComplete,
		&a.invites, &a.severed)
	if err == pgx.ErrNoRows {
		return nil, nil
	}
	return &a, err
}

func (p *peer) showLanding(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/users/")
	account, err := p.account(r.Context(), name, r.URL.Query().Get("invitedBy"))
	if err != nil {
		http.Error(w, "unavailable", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	switch target, moved := decide(name, account); {
	case target == nil:
		http.NotFound(w, r)
	case moved:
		w.Header().Set("Location", p.origin+"/users/"+target.username+"?"+r.URL.RawQuery)
		w.WriteHeader(http.StatusFound)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		heading := " invites you"
		if target.invites == "off" {
			heading = ""
		}
		fmt.Fprintf(w, "<!doctype html><title>%[1]s</title><h1>%[1]s%[2]s</h1>", html.EscapeString(target.username), heading)
	}
}
