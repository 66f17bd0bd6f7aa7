package apitest

import "net/http"

// RoundTripper is a function as an http.RoundTripper, for tests that stand between a client and the server.
type RoundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f RoundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
