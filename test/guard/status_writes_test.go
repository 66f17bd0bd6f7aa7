package guard

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// statusWrites sees every status write of a controller.
type statusWrites struct {
	bytes   atomic.Int64 // size of their bodies
	answers atomic.Bool  // answer them here, so that the API server's allocations for them are not counted
	version atomic.Int64
}

func (w *statusWrites) wrap(next http.RoundTripper) http.RoundTripper {
	return apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
		if !writesStatus(r) {
			return next.RoundTrip(r)
		}
		w.bytes.Add(r.ContentLength)
		if !w.answers.Load() {
			return next.RoundTrip(r)
		}
		return w.answer(r), r.Body.Close()
	})
}

// answer is the answer of an API server that has stored the status.
func (w *statusWrites) answer(r *http.Request) *http.Response {
	const newer = 1_000_000 // than any version of the server's
	body := fmt.Sprintf(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"%d"}}`,
		newer+w.version.Add(1))
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(body)),
		Request:    r,
	}
}

func writesStatus(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/status")
}

func creates(r *http.Request, resource string) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/"+resource)
}
