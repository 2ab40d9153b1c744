package main

import (
	"bytes"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v4"
)

type signupBody struct {
	Username string
	Invite   struct{ Username, InvitedBy string }
}

// signUp proves the invite and writes everything in one round trip, a pipelined transaction.
func (p *peer) signUp(w http.ResponseWriter, r *http.Request) {
	key := hash(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if subtle.ConstantTimeCompare(key[:], p.keyHash[:]) != 1 {
		http.Error(w, "unauthenticated", http.StatusUnauthorized)
		return
	}
	var body signupBody
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, "malformed", http.StatusBadRequest)
		return
	}
	values := signupValues(r.Header.Get("Kith-User"), body)
	if err := p.write(r, values); err != nil {
		http.Error(w, "not signed up", http.StatusConflict)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(map[string]interface{}{
		"user":   map[string]string{"uid": r.Header.Get("Kith-User"), "username": body.Username, "status": "active"},
		"invite": map[string]string{"outcome": "accepted", "friendship": "friends"},
	})
}

func (p *peer) write(r *http.Request, values map[string]interface{}) error {
	batch := &pgx.Batch{}
	for _, s := range p.signup {
		batch.Queue(s.sql, s.arguments(values)...)
	}
	results := p.pool.SendBatch(r.Context(), batch)
	defer results.Close()
	for range p.signup {
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	return nil
}

func signupValues(uid string, body signupBody) map[string]interface{} {
	id, inviter := userID(uid), userID(body.Invite.InvitedBy)
	low, high, lowUID, highUID := id, inviter, uid, body.Invite.InvitedBy
	if bytes.Compare(low[:], high[:]) > 0 {
		low, high, lowUID, highUID = high, low, highUID, lowUID
	}
	return map[string]interface{}{
		"uid": uid, "id": id, "name": strings.ToLower(body.Username),
		// Any code that nobody has.
		"code":       hex.EncodeToString(id[:8]),
		"inviter_id": inviter, "inviter_name": strings.ToLower(body.Invite.Username),
		"low_id": low, "low_uid": lowUID, "high_id": high, "high_uid": highUID,
	}
}
