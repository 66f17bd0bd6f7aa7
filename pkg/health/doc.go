// Package health answers probes: it looks at named checks and says over HTTP which of them fail, and why.
//
// It promises that an answer is as of now, that a check that panics fails instead of ending the process, and that the
// answer has the form of that of Kubernetes' own components. What the checks look at is up to their owners.
//
//	http.Handle("GET /readyz", health.Handler("readyz", checks))
//
// An answer is 200 and "ok" if no check fails. Otherwise, and with the parameter verbose, it lists the checks:
//
//	[+]crd ok
//	[-]api-server failed: no answer for 20s: connection refused
//	readyz check failed
package health
