package main

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v4"
)

type friend struct {
	UID         string    `json:"uid"`
	Username    string    `json:"username"`
	DisplayName *string   `json:"displayName,omitempty"`
	Since       time.Time `json:"since"`
}

// listFriends reads the caller and a page of 50 friends in one round trip.
func (p *peer) listFriends(w http.ResponseWriter, r *http.Request) {
	key := hash(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if subtle.ConstantTimeCompare(key[:], p.keyHash[:]) != 1 {
		http.Error(w, "unauthenticated", http.StatusUnauthorized)
		return
	}
	friends, isActive, err := p.friends(r, r.Header.Get("Kith-User"))
	switch {
	case err != nil:
		http.Error(w, "unavailable", http.StatusServiceUnavailable)
	case !isActive:
		http.Error(w, "no account", http.StatusForbidden)
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]interface{}{"friends": friends[:min(50, len(friends))], "next": nil})
	}
}

func (p *peer) friends(r *http.Request, uid string) (friends []friend, isActive bool, err error) {
	values := map[string]interface{}{"id": userID(uid)}
	batch := &pgx.Batch{}
	for _, s := range p.list {
		batch.Queue(s.sql, s.arguments(values)...)
	}
	results := p.pool.SendBatch(r.Context(), batch)
	defer results.Close()
	var found, username, status string
	var displayName *string
	var createdAt time.Time
	if err = results.QueryRow().Scan(&found, &username, &displayName, &status, &createdAt); err != nil {
		return nil, false, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, false, err
	}
	for rows.Next() {
		var id [16]byte
		var f friend
		if err := rows.Scan(&id, &f.Since, &f.UID, &f.Username, &f.DisplayName); err != nil {
			return nil, false, err
		}
		friends = append(friends, f)
	}
	return friends, status == "active", rows.Err()
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}
