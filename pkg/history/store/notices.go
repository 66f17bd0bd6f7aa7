package store

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// notices go from each server to the others with the same PostgreSQL database, so that Watch sees the rows of all. They are best effort: one
// is lost while the listener connects, and a proxy of connections may hand out none.
type notices struct {
	store  *Store
	sender string // distinguishes the notices of this server from others
	due    chan struct{}
	ended  sync.WaitGroup
	stop   context.CancelFunc

	mutex sync.Mutex
	of    map[Watched]bool // Frameworks whose rows were stored since the last notice
}

const (
	noticeChannel = "frameworkcontroller_history"
	// noticePause is the time for which further rows are gathered before a notice is sent. A stream of changes has at most one event a
	// second.
	noticePause = 200 * time.Millisecond
	// noticeBytes is less than PostgreSQL's limit. A longer notice names no Framework, and concerns all.
	noticeBytes = 7000
	// noticeWithin limits the sending of a notice, and a try to listen.
	noticeWithin = 5 * time.Second
	// Pauses before the listener connects again.
	listenLeast, listenMost = time.Second, 30 * time.Second
)

// notice is the text of a notification of PostgreSQL.
type notice struct {
	From string `json:"from"`
	// Of lists the Frameworks with news; empty for all.
	Of []Watched `json:"of,omitempty"`
}

// newNotices begins to send and to listen, until Close. It tries once to listen before it returns, within ctx.
func newNotices(ctx context.Context, s *Store, sender string) *notices {
	life, stop := context.WithCancel(context.Background())
	n := &notices{store: s, sender: sender, due: make(chan struct{}, 1), stop: stop, of: map[Watched]bool{}}
	first, err := n.connect(ctx)
	if err != nil {
		n.away(err)
	}
	n.ended.Go(func() { n.sendAll(life) })
	n.ended.Go(func() { n.listen(life, first) })
	return n
}

// Close may be called for nil.
func (n *notices) Close() {
	if n != nil {
		n.stop()
		n.ended.Wait()
	}
}

// add makes a notice due. It never waits, and does nothing for nil.
func (n *notices) add(frameworks ...Watched) {
	if n == nil || len(frameworks) == 0 {
		return
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for _, f := range frameworks {
		n.of[f] = true
	}
	select {
	case n.due <- struct{}{}:
	default:
	}
}

func (n *notices) sendAll(ctx context.Context) {
	for {
		select {
		case <-n.due:
		case <-ctx.Done():
			return
		}
		if err := n.send(ctx, n.take()); err != nil && ctx.Err() == nil {
			n.store.options.Log.Debug("other servers were not notified of new rows", "error", err)
		}
		select {
		case <-time.After(noticePause):
		case <-ctx.Done():
			return
		}
	}
}

// take returns the text of a notice about all rows since the last one.
func (n *notices) take() []byte {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	all := notice{From: n.sender}
	for f := range n.of {
		all.Of = append(all.Of, f)
	}
	clear(n.of)
	text, err := json.Marshal(all)
	if err != nil || len(text) > noticeBytes {
		text, _ = json.Marshal(notice{From: n.sender}) // a text
	}
	return text
}

func (n *notices) send(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, noticeWithin)
	defer cancel()
	_, err := n.store.writer.ExecContext(ctx, "SELECT pg_notify($1, $2)", noticeChannel, string(text))
	return err
}

// listen connects again and again, beginning with a connection that may be nil.
func (n *notices) listen(ctx context.Context, c *pgx.Conn) {
	for pause := listenLeast; ; pause = min(2*pause, listenMost) {
		if c != nil {
			pause = listenLeast
			n.away(n.receive(ctx, c))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		var err error
		if c, err = n.connect(ctx); err != nil {
			n.away(err)
			continue
		}
		n.store.watchers.storedAny() // rows may have been stored while nobody listened
	}
}

func (n *notices) away(err error) {
	n.store.options.Log.Debug("notices of other servers do not arrive", "error", err)
}

// connect opens a connection that listens; nil after an error. It is not taken from the pool, because it is kept for good.
func (n *notices) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, noticeWithin)
	defer cancel()
	c, err := pgx.Connect(ctx, n.store.options.Database)
	if err != nil {
		return nil, err
	}
	if _, err := c.Exec(ctx, "LISTEN "+noticeChannel); err != nil {
		disconnect(c)
		return nil, err
	}
	return c, nil
}

func disconnect(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx)
}

// receive returns when the connection is broken, which it closes.
func (n *notices) receive(ctx context.Context, c *pgx.Conn) error {
	defer disconnect(c)
	for {
		got, err := c.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		n.received([]byte(got.Payload))
	}
}

// received rings for the rows of other servers. Every user of the database can send notices, so one that cannot be read is about all rows.
func (n *notices) received(text []byte) {
	var got notice
	switch err := json.Unmarshal(text, &got); {
	case err == nil && got.From == n.sender:
	case err != nil || len(got.Of) == 0:
		n.store.watchers.storedAny()
	default:
		n.store.watchers.stored(got.Of...)
	}
}
