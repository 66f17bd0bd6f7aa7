package apiserver

import (
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

// Intervals between attempts to reach an absent API server.
const (
	redialLeast, redialMost = 500 * time.Millisecond, 1500 * time.Millisecond
	// redialFor is longer than the two minutes after which a reflector resets its pause. Each time it has passed, client-go sees
	// the error.
	redialFor = 150 * time.Second
)

// redialing returns a copy of the config for watches, which redial for a while when an API server is away. By themselves,
// reflectors pause for longer and longer, up to a minute: after an outage the controller would write and create again, and not
// see the results for a minute or two.
func redialing(base *rest.Config) *rest.Config {
	c := rest.CopyConfig(base)
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return redialer{next} })
	return c
}

// redialer repeats requests without a body that were not sent. It does so here rather than in the dialer, which does not
// notice that a request was given up.
type redialer struct{ next http.RoundTripper }

func (d redialer) RoundTrip(r *http.Request) (*http.Response, error) {
	for begin := time.Now(); ; {
		answer, err := d.next.RoundTrip(r)
		if !notReached(err) || r.Body != nil || time.Since(begin) >= redialFor {
			return answer, err
		}
		select {
		case <-time.After(redialLeast + rand.N(redialMost-redialLeast)):
		case <-r.Context().Done():
			return nil, err
		}
	}
}

// notReached reports whether there was no connection that a request could have been sent on.
func notReached(err error) bool {
	fault := (*net.OpError)(nil)
	return errors.As(err, &fault) && fault.Op == "dial"
}
