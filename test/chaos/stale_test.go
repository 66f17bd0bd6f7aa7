package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// A list of any age may be an earlier one, as it was, of the same question. No other request gets an earlier answer.
func TestStaleLists(t *testing.T) {
	p := startHostileProxy(t, func(http.ResponseWriter, *http.Request) {})
	answered := 0
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s %d", r.URL.Query().Get("labelSelector"), answered)
		answered++
	})
	ask := func(url string) string {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, url, nil)
		if mayBeStale(r) {
			p.list(w, r, server)
		} else {
			server.ServeHTTP(w, r)
		}
		if kind := w.Header().Get("Content-Type"); kind != "text/plain" {
			t.Errorf("the answer is of type %q", kind)
		}
		return w.Body.String()
	}
	seen := map[string][]string{}
	for range 50 {
		for _, selector := range []string{"a", "b"} {
			answer := ask("/api/v1/pods?resourceVersion=0&labelSelector=" + selector)
			if answer[:1] != selector {
				t.Errorf("asked for %s, got %q", selector, answer)
			}
			seen[selector] = append(seen[selector], answer)
		}
	}
	for selector, answers := range seen {
		distinct := len(slices.Compact(slices.Sorted(slices.Values(answers))))
		if distinct < 10 || distinct > 40 {
			t.Errorf("of %d answers about %s, %d are fresh", len(answers), selector, distinct)
		}
	}
	for _, query := range []string{"", "?resourceVersion=7", "?resourceVersion="} {
		before := answered
		if ask("/api/v1/pods" + query); answered != before+1 {
			t.Errorf("%q got an earlier answer", query)
		}
	}
	if ask("/api/v1/namespaces/default/pods/a?resourceVersion=0"); mayBeStale(httptest.NewRequest(http.MethodGet, "/api/v1/namespaces/default/pods/a?resourceVersion=0", nil)) {
		t.Error("a single object counts as a list")
	}
}
