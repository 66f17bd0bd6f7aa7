package apitest

import (
	"context"
	"net"
	"sync"
	"testing"
)

// StartPiped runs a server that is reached without the network: with its clients it can be in a bubble of testing/synctest,
// where time passes only while everybody waits.
func StartPiped(t testing.TB) *Server {
	s := newServer()
	_ = s.http.Listener.Close()
	p := &pipes{accept: make(chan net.Conn), closed: make(chan struct{})}
	s.http.Listener, s.dial = p, p.dial
	s.http.Start()
	t.Cleanup(s.stop)
	return s
}

// pipes is a listener that its clients reach by dial.
type pipes struct {
	accept chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accept <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr names no place: a config finds the server by its Dial.
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
