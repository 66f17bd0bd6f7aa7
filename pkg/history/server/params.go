package server

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
)

// kind is the type of a parameter, as OpenAPI names it.
type kind string

const (
	text    kind = "string"
	number  kind = "integer"
	flag    kind = "boolean"
	instant kind = "date-time"
)

type param struct {
	name string
	kind kind
	help string
}

const (
	defaultRange = 7 * 24 * time.Hour
	defaultLimit = 100
	mostLimit    = 1000
	// The longest value of a parameter, in bytes.
	mostParam = 1024
)

// values are parameters that were checked.
type values struct{ url.Values }

// parse checks the parameters of a request. Unknown parameters are refused: ignoring a filter would return more than requested.
func parse(r *http.Request, known []param) (values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return values{}, problem(http.StatusBadRequest, "the parameters cannot be read: %v", err)
	}
	for name, all := range query {
		p, ok := find(known, name)
		switch {
		case !ok:
			return values{}, problem(http.StatusBadRequest, "unknown parameter %q", name)
		case len(all) > 1:
			return values{}, problem(http.StatusBadRequest, "parameter %s is given twice", name)
		case len(all[0]) > mostParam:
			return values{}, problem(http.StatusBadRequest, "parameter %s has more than %d bytes", name, mostParam)
		case !p.kind.fits(all[0]):
			return values{}, problem(http.StatusBadRequest, "parameter %s: %q is not a %s", name, all[0], p.kind.words())
		}
	}
	return values{query}, nil
}

func find(known []param, name string) (param, bool) {
	for _, p := range known {
		if p.name == name {
			return p, true
		}
	}
	return param{}, false
}

func (k kind) fits(value string) bool {
	var err error
	switch {
	case value == "":
	case k == number:
		_, err = strconv.ParseInt(value, 10, 32)
	case k == flag:
		_, err = strconv.ParseBool(value)
	case k == instant:
		_, err = time.Parse(time.RFC3339, value)
	}
	return err == nil
}

func (k kind) words() string {
	return map[kind]string{number: "number of 32 bits", flag: "true or false",
		instant: "time as in RFC 3339, such as 2026-01-31T12:00:00Z"}[k]
}

// number returns nil if the parameter is left out.
func (v values) number(name string) *int32 {
	n, err := strconv.ParseInt(v.Get(name), 10, 32)
	if err != nil {
		return nil
	}
	return new(int32(n))
}

func (v values) flag(name string) bool {
	b, _ := strconv.ParseBool(v.Get(name))
	return b
}

func (v values) limit() (int, error) {
	n := v.number("limit")
	switch {
	case n == nil:
		return defaultLimit, nil
	case *n < 1 || *n > mostLimit:
		return 0, problem(http.StatusBadRequest, "parameter limit: %d is not within 1 and %d", *n, mostLimit)
	}
	return int(*n), nil
}

func (v values) timeRange(now time.Time) (store.Range, error) {
	r := store.Range{Since: now.Add(-defaultRange)}
	if at, err := time.Parse(time.RFC3339, v.Get("since")); err == nil {
		r.Since = at
	}
	if at, err := time.Parse(time.RFC3339, v.Get("until")); err == nil {
		r.Until = at
		if !r.Since.Before(r.Until) {
			return r, problem(http.StatusBadRequest, "parameter until: %s is not after since, %s",
				r.Until.Format(time.RFC3339), r.Since.Format(time.RFC3339))
		}
	}
	return r, nil
}
