// Package health answers probes: it runs named checks and reports over HTTP which of them fail, and why.
//
// It promises that an answer shows the current state, that a check that panics fails instead of ending the process, and
// that the answer has the form used by Kubernetes' own components. The checks themselves are up to their owners.
//
//	http.Handle("GET /readyz", health.Handler("readyz", checks))
//
// An answer is 200 and "ok" if no check fails. Otherwise, and with the parameter verbose, it lists the checks:
//
//	[+]crd ok
//	[-]api-server failed: no answer for 20s: connection refused
//	readyz check failed
package health
