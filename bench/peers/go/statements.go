package main

import (
	"crypto/sha256"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A statement of a pgbench script, with its `:name` parameters replaced by PostgreSQL's numbered ones.
type statement struct {
	sql        string
	parameters []string
}

var comment = regexp.MustCompile(`(?m)^--.*\n`)
var parameter = regexp.MustCompile(`::?[a-z_]+\b`)

func readStatements(path string) []statement {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	var statements []statement
	for _, sql := range strings.Split(comment.ReplaceAllString(string(text), ""), ";\n") {
		if strings.TrimSpace(sql) != "" {
			statements = append(statements, numbered(sql))
		}
	}
	return statements
}

func numbered(sql string) statement {
	var s statement
	s.sql = parameter.ReplaceAllStringFunc(sql, func(found string) string {
		if found[1] == ':' { // A cast.
			return found
		}
		for i, name := range s.parameters {
			if name == found[1:] {
				return "$" + strconv.Itoa(i+1)
			}
		}
		s.parameters = append(s.parameters, found[1:])
		return "$" + strconv.Itoa(len(s.parameters))
	})
	return s
}

func (s statement) arguments(values map[string]interface{}) []interface{} {
	arguments := make([]interface{}, len(s.parameters))
	for i, name := range s.parameters {
		arguments[i] = values[name]
	}
	return arguments
}

func hash(text string) [32]byte { return sha256.Sum256([]byte(text)) }

// userID is the primary key that a uid stands for.
func userID(uid string) (id [16]byte) {
	sum := hash(uid)
	copy(id[:], sum[:16])
	return id
}
