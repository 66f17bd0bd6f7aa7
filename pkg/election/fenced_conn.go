package election

import (
	"context"
	"errors"
	"net"
)

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// dialer returns a dialer whose connections end when the lease is lost, with their undelivered data. The fence is also asked before each
// piece is handed to the kernel: a process that was paused in the middle of a request, and continues when another one leads, sends nothing
// more of the request.
func (f *fence) dialer(dial dialFunc) dialFunc {
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if tcp, ok := c.(interface{ SetLinger(sec int) error }); ok {
			// Otherwise the kernel would deliver data of a process that has ended since.
			_ = tcp.SetLinger(0)
		}
		w := &fencedConn{Conn: c, fence: f}
		w.forget = context.AfterFunc(f.revoked, func() { _ = c.Close() })
		return w, nil
	}
}

// fencedConn is a connection that sends nothing after the lease has ended.
type fencedConn struct {
	net.Conn
	fence  *fence
	forget func() bool
}

func (w *fencedConn) Write(b []byte) (int, error) {
	n, err := w.send(b)
	if errors.Is(err, errOver) {
		_ = w.Close()
	}
	return n, err
}

// sendWhole asks the fence once. If the data has to wait for room in the connection, it continues when there is room, whoever leads by
// then.
func (w *fencedConn) sendWhole(b []byte) (int, error) {
	if w.fence.expired() {
		return 0, errOver
	}
	return w.Conn.Write(b)
}

func (w *fencedConn) Close() error {
	w.forget()
	return w.Conn.Close()
}
