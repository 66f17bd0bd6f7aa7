package health

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

var (
	fine    = Check{"fine", func() (string, error) { return "", nil }}
	idle    = Check{"idle", func() (string, error) { return "standing by", nil }}
	broken  = Check{"broken", func() (string, error) { return "", errors.New("a pipe\nbroke") }}
	strange = Check{"strange", func() (string, error) { panic("nobody knows") }}
)

func TestHandler(t *testing.T) {
	tests := map[string]struct {
		checks []Check
		path   string
		code   int
		body   string
	}{
		"nothing fails":   {[]Check{fine, idle}, "/readyz", 200, "ok"},
		"no checks":       {nil, "/readyz", 200, "ok"},
		"verbose":         {[]Check{fine, idle}, "/readyz?verbose", 200, "[+]fine ok\n[+]idle ok: standing by\nreadyz check passed\n"},
		"one fails":       {[]Check{fine, broken}, "/readyz", 503, "[+]fine ok\n[-]broken failed: a pipe broke\nreadyz check failed\n"},
		"fails, verbose":  {[]Check{broken}, "/readyz?verbose=true", 503, "[-]broken failed: a pipe broke\nreadyz check failed\n"},
		"a check panics":  {[]Check{strange, fine}, "/readyz", 503, "[-]strange failed: a panic: nobody knows\n[+]fine ok\nreadyz check failed\n"},
		"other parameter": {[]Check{fine}, "/readyz?timeout=1s", 200, "ok"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			Handler("readyz", tt.checks).ServeHTTP(w, httptest.NewRequest(http.MethodGet, tt.path, nil))
			if w.Code != tt.code || w.Body.String() != tt.body {
				t.Errorf("got %d %q, want %d %q", w.Code, w.Body, tt.code, tt.body)
			}
		})
	}
}
