package proxy

import (
	"io"
	"net"
	"net/url"
	"sync"
)

// Connections passes connections on to a server, until a method changes that.
type Connections struct {
	to string

	mu       sync.Mutex
	changed  *sync.Cond
	address  string
	listener net.Listener // nil while connections are refused
	held     bool
	lossy    bool
	open     map[net.Conn]bool
}

// Listen begins to take connections, on loopback, for the server with that URL.
func Listen(server string) (*Connections, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	c := &Connections{address: "127.0.0.1:0", to: u.Host, open: map[net.Conn]bool{}}
	c.changed = sync.NewCond(&c.mu)
	return c, c.Accept()
}

// URL is the address that replaces the server's, with TLS. It does not change.
func (c *Connections) URL() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return "https://" + c.address
}

// Accept takes connections again, after Refuse.
func (c *Connections) Accept() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, err := net.Listen("tcp", c.address)
	if err != nil {
		return err
	}
	c.listener, c.address = l, l.Addr().String()
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go c.pass(from)
		}
	}()
	return nil
}

// Refuse breaks all connections and takes no more, as if the server were not running.
func (c *Connections) Refuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listener != nil {
		c.listener.Close()
		c.listener = nil
	}
	for open := range c.open {
		open.Close()
	}
}

// Hold keeps all connections and passes nothing on, as if the server had stopped; or passes on the held data.
func (c *Connections) Hold(held bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = held
	c.changed.Broadcast()
}

// Drop loses all data from now on, without an error, as if the network were cut.
func (c *Connections) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lossy = true
}

// Close ends all connections.
func (c *Connections) Close() {
	c.Hold(false)
	c.Refuse()
}

func (c *Connections) pass(from net.Conn) {
	defer c.forget(from)
	to, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer c.forget(to)
	c.mu.Lock()
	c.open[from], c.open[to] = true, true
	c.mu.Unlock()
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			_, _ = io.Copy(end{c, way[0]}, way[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}

func (c *Connections) forget(conn net.Conn) {
	conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, conn)
}

// end is one end of a connection, to which the proxy writes in its current mode.
type end struct {
	proxy *Connections
	conn  net.Conn
}

func (e end) Write(b []byte) (int, error) {
	e.proxy.mu.Lock()
	for e.proxy.held {
		e.proxy.changed.Wait()
	}
	lossy := e.proxy.lossy
	e.proxy.mu.Unlock()
	if lossy {
		return len(b), nil
	}
	return e.conn.Write(b)
}
