package store

import (
	"fmt"
	"strings"
)

// source is the SQL for rows of values in a statement: one row with SQLite, which is the cheapest there, and any number with PostgreSQL,
// where each statement is a round trip. There, each column is an array, so the statement has the same text and the same plan for any number
// of rows.
func (d dialect) source(like []any) string {
	places := make([]string, len(like))
	for i, value := range like {
		places[i] = fmt.Sprintf("$%d", i+1)
		if d.arrays {
			places[i] += "::" + typeOf(value) + "[]"
		}
	}
	list := "(" + strings.Join(places, ", ") + ")"
	if d.arrays {
		return "SELECT * FROM unnest" + list
	}
	return "VALUES " + list
}

// typeOf returns the type of PostgreSQL for a value. A column of another type takes it by assignment.
func typeOf(value any) string {
	switch value.(type) {
	case []byte:
		return "bytea"
	case bool:
		return "boolean"
	case string:
		return "text"
	}
	return "bigint"
}

// arguments returns the arguments of each execution of a statement with a source.
func (d dialect) arguments(rows [][]any) [][]any {
	if !d.arrays {
		return rows
	}
	arrays := make([]any, len(rows[0]))
	for c := range arrays {
		column := make([]any, len(rows))
		for r, row := range rows {
			column[r] = row[c]
		}
		arrays[c] = column
	}
	return [][]any{arrays}
}
