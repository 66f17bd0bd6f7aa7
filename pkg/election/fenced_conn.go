package election

import (
	"context"
	"errors"
	"net"
)

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// dialer returns one whose connections end when the lease is lost, and what they have not delivered with them. The fence
// is asked before each piece is handed to the kernel too: a process that was stopped in the middle of a request, and goes
// on when another one leads, sends no more of it.
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
			// Or the kernel goes on to deliver what a process has sent that has ended since.
			_ = tcp.SetLinger(0)
		}
		w := &fencedConn{Conn: c, fence: f}
		w.forget = context.AfterFunc(f.revoked, func() { _ = c.Close() })
		return w, nil
	}
}

// fencedConn is a connection that sends nothing after the lease.
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

// sendWhole asks the fence once. What waits for room below it goes on when there is room, whoever leads by then.
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
