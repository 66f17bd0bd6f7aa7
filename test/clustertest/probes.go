package clustertest

import (
	"io"
	"net/http"
	"regexp"
	"time"
)

var served = regexp.MustCompile(`serving /healthz, /readyz and /metrics: address=(\S+)`)

// AddressIn returns where a controller with such a log serves probes and metrics; empty if it does not say so yet.
func AddressIn(log string) string {
	if found := served.FindStringSubmatch(log); found != nil {
		return found[1]
	}
	return ""
}

// GetFrom asks a controller for a path, and returns how it answers. The code is 0 if it does not, and the body says why.
func GetFrom(address, path string) (code int, body string) {
	client := http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get("http://" + address + path)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(text)
}
