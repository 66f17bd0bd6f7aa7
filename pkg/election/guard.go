package election

import (
	"io"
	"net/http"

	"k8s.io/client-go/rest"
)

// Guard makes every request that may change anything pass the fence, for clients made from the config. Reads always pass.
// Repetitions by the client library pass it again, as it is next to the connection.
func (e *Election) Guard(c *rest.Config) {
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return guard{e.fence, next} })
	c.Dial = e.fence.dialer(c.Dial)
}

type guard struct {
	fence *fence
	next  http.RoundTripper
}

func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return g.next.RoundTrip(r)
	}
	ctx, end, err := g.fence.begin(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper has to do this
		}
		return nil, err
	}
	bounded := r.Clone(ctx)
	// The API server should give up as well.
	query := bounded.URL.Query()
	query.Set("timeout", g.fence.timing.RequestTimeout().String())
	bounded.URL.RawQuery = query.Encode()
	answer, err := g.next.RoundTrip(bounded)
	if err != nil {
		end()
		return nil, err
	}
	answer.Body = bodyWithEnd{answer.Body, end}
	return answer, nil
}

// bodyWithEnd is the body of an answer; closing it ends the request.
type bodyWithEnd struct {
	io.ReadCloser
	end func()
}

func (b bodyWithEnd) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
