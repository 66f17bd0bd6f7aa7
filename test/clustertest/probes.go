package clustertest

import (
	"io"
	"net/http"
	"regexp"
	"time"
)

var served = regexp.MustCompile(`serving /healthz, /readyz and /metrics: address=(\S+)`)

// AddressIn returns the address at which a controller with that log serves probes and metrics; empty until the log has it.
func AddressIn(log string) string {
	if found := served.FindStringSubmatch(log); found != nil {
		return found[1]
	}
	return ""
}

// GetFrom sends a controller a GET request, and returns the answer. If it does not answer, the code is 0, and the body has the error.
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
