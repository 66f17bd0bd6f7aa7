package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Range is a range of time: from Since on, and before Until. A zero Until sets no end.
type Range struct{ Since, Until time.Time }

func (r Range) since() int64 { return bounded(r.Since) }

func (r Range) until() int64 {
	if r.Until.IsZero() {
		return lastMicro
	}
	return bounded(r.Until)
}

// ErrToken means that the token of a page belongs to no page of this list.
var ErrToken = errors.New("the token is not from an earlier page of the same list")

// conditions collects the WHERE clause of a query, and its arguments.
type conditions struct {
	texts []string
	args  []any
}

// arg adds an argument, and returns its place holder.
func (c *conditions) arg(value any) string {
	c.args = append(c.args, value)
	return fmt.Sprintf("$%d", len(c.args))
}

// add adds a condition. Each %s in the text is the place of one of the arguments.
func (c *conditions) add(text string, args ...any) {
	places := make([]any, len(args))
	for i, a := range args {
		places[i] = c.arg(a)
	}
	c.texts = append(c.texts, fmt.Sprintf(text, places...))
}

// addText adds the condition that a column has this value, unless it is empty.
func (c *conditions) addText(column, value string) {
	if value != "" {
		c.add(column+" = %s", clean(value))
	}
}

// ids adds arguments, and returns their place holders for IN, which are valid even without arguments.
func (c *conditions) ids(all []int64) string {
	places := []string{"NULL"}
	for _, id := range all {
		places = append(places, c.arg(id))
	}
	return strings.Join(places, ", ")
}

func (c *conditions) where() string {
	if len(c.texts) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.texts, " AND ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z]*$`)

// addType adds the condition that an outcome has this type, or this attribute.
func (c *conditions) addType(column, word string) {
	switch {
	case word == "":
	case !plainWord.MatchString(word):
		c.texts = append(c.texts, "1 = 0")
	default:
		c.add(column+` IN (SELECT id FROM outcome WHERE type = %s OR (',' || attributes || ',') LIKE %s)`, word, "%,"+word+",%")
	}
}

// each runs a query of a reader, and calls do for every row.
func (s *Store) each(ctx context.Context, query string, args []any, do func(*sql.Rows) error) error {
	rows, err := s.readers.QueryContext(ctx, s.dialect.bind(query), args...)
	if err != nil {
		return err
	}
	return eachRow(rows, do)
}

// mostPageBytes limits the texts of a page, which ends early for them. Clients do not read answers of any size.
const mostPageBytes = 8 << 20

// errFull means that an item does not fit on the page.
var errFull = errors.New("the page is full")

// fullness is how full a page is.
type fullness struct{ items, bytes, limit int }

// add adds an item whose text has this size in bytes, or returns errFull. The first item always fits.
func (f *fullness) add(bytes int) error {
	if f.items == f.limit || f.items > 0 && f.bytes+bytes > mostPageBytes {
		return errFull
	}
	f.items, f.bytes = f.items+1, f.bytes+bytes
	return nil
}

// token makes the token of the page behind a row from the values that the list is ordered by.
func token(position ...any) string {
	text, err := json.Marshal(position)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// readToken reads the values into pointers.
func readToken(token string, into ...any) error {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return ErrToken
	}
	var values []json.RawMessage
	if json.Unmarshal(text, &values) != nil || len(values) != len(into) {
		return ErrToken
	}
	for i, v := range values {
		if json.Unmarshal(v, into[i]) != nil {
			return ErrToken
		}
	}
	return nil
}
