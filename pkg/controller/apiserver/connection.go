package apiserver

import (
	"context"
	"net"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

// Dial connects to an API server. It detects within half a minute that the machine at the other end has disappeared silently.
var Dial = (&net.Dialer{
	Timeout:         30 * time.Second,
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
}).DialContext

// longestSilence is how long a watch may be silent. The API server usually sends a bookmark every minute; a watch that is
// given up needlessly resumes where it was.
const longestSilence = 3 * time.Minute

// connection returns a copy of the config that does not share a connection with any other copy: client-go keeps
// one connection for equal configs, and a dialer of one's own makes them differ.
func connection(base *rest.Config) *rest.Config {
	c := rest.CopyConfig(base)
	dial := base.Dial
	if dial == nil {
		dial = Dial
	}
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dial(ctx, network, address)
	}
	c.QPS, c.RateLimiter = -1, nil
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return shortErrors{next} })
	c.WarningHandler, c.WarningHandlerWithContext = nil, warningCollector{}
	return c
}

// watchConnection returns a copy of the config in which each watch gets its own connection: HTTP/2 would only add frames, and
// pass each event from one goroutine to another at both ends.
func watchConnection(base *rest.Config) *rest.Config {
	c := connection(base)
	c.NextProtos = []string{"http/1.1"}
	dial := c.Dial
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return impatient{conn}, nil
	}
	return c
}

// impatient is a connection that is closed when nothing arrives for longestSilence: the process at the other end may hang
// although its machine runs. HTTP/2 has pings for that.
type impatient struct{ net.Conn }

func (i impatient) Read(b []byte) (int, error) {
	if err := i.SetReadDeadline(time.Now().Add(longestSilence)); err != nil {
		return 0, err
	}
	return i.Conn.Read(b)
}
