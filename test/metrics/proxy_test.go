package metrics

import (
	"io"
	"net"
	"net/url"
	"sync"
)

// proxy passes connections on to an API server, unless it is told otherwise.
type proxy struct {
	address string // its own
	to      string

	mu       sync.Mutex
	changed  *sync.Cond
	listener net.Listener // nil while connections are refused
	silent   bool
	open     map[net.Conn]bool
}

func newProxy(server string) (*proxy, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	p := &proxy{address: "127.0.0.1:0", to: u.Host, open: map[net.Conn]bool{}}
	p.changed = sync.NewCond(&p.mu)
	return p, p.accept()
}

// accept begins to take connections, at the same address as before.
func (p *proxy) accept() error {
	l, err := net.Listen("tcp", p.address)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener, p.address = l, l.Addr().String()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
	return nil
}

// refuse breaks all connections and takes no more, as if the API server were not running.
func (p *proxy) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		p.listener.Close()
		p.listener = nil
	}
	for c := range p.open {
		c.Close()
	}
}

// hush keeps all connections and passes nothing on, as if the network were cut; or passes everything on again.
func (p *proxy) hush(silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = silent
	p.changed.Broadcast()
}

func (p *proxy) close() {
	p.hush(false)
	p.refuse()
}

func (p *proxy) pass(from net.Conn) {
	defer p.forget(from)
	to, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer p.forget(to)
	p.mu.Lock()
	p.open[from], p.open[to] = true, true
	p.mu.Unlock()
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			_, _ = io.Copy(gated{p, way[0]}, way[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}

func (p *proxy) forget(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

// gated writes when the proxy is not silent.
type gated struct {
	p *proxy
	c net.Conn
}

func (g gated) Write(b []byte) (int, error) {
	g.p.mu.Lock()
	for g.p.silent {
		g.p.changed.Wait()
	}
	g.p.mu.Unlock()
	return g.c.Write(b)
}
