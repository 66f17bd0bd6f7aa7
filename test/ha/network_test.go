package ha

import (
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
)

// network is the way of one controller to the API server. When it is cut, nothing arrives any more, and nobody is told.
type network struct {
	server string // what to connect to instead of the API server
	cut    atomic.Bool
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	u, err := url.Parse(kube.Config.Host)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	n := &network{server: "https://" + l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go n.pass(c, u.Host)
		}
	}()
	return n
}

func (n *network) pass(from net.Conn, server string) {
	defer from.Close()
	to, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer to.Close()
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			_, _ = io.Copy(lossy{n, way[0]}, way[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}

// lossy drops what is written while the network is cut.
type lossy struct {
	n *network
	c net.Conn
}

func (l lossy) Write(b []byte) (int, error) {
	if l.n.cut.Load() {
		return len(b), nil
	}
	return l.c.Write(b)
}
