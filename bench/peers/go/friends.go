package main

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

type friend struct {
	UID         string    `json:"uid"`
	Username    string    `json:"username"`
	DisplayName *string   `json:"displayName,omitempty"`
	AvatarURL   *string   `json:"avatarUrl,omitempty"`
	Metadata    []byte    `json:"-"` // Nobody has any here.
	Since       time.Time `json:"since"`
}

// listFriends reads a page of 50 friends.
func (p *peer) listFriends(w http.ResponseWriter, r *http.Request) {
	key := hash(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if subtle.ConstantTimeCompare(key[:], p.keyHash[:]) != 1 {
		http.Error(w, "unauthenticated", http.StatusUnauthorized)
		return
	}
	friends, err := p.friends(r, userID(r.Header.Get("Kith-User")))
	if err != nil {
		http.Error(w, "unavailable", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]interface{}{"friends": friends[:min(50, len(friends))], "next": nil})
}

func (p *peer) friends(r *http.Request, user [16]byte) (friends []friend, err error) {
	rows, err := p.pool.Query(r.Context(), p.list.sql, p.list.arguments(map[string]interface{}{"id": user})...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id [16]byte
		var f friend
		if err := rows.Scan(&f.AvatarURL, &f.DisplayName, &f.Metadata, &f.Since, &f.UID, &f.Username, &id); err != nil {
			return nil, err
		}
		friends = append(friends, f)
	}
	return friends, rows.Err()
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}
