package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Options of a store.
type Options struct {
	// Database is the path of an SQLite file, which is created if missing, or the URL of a PostgreSQL database.
	Database string
	// Retain is how long a Framework is kept after its newest record; 0 keeps all.
	Retain time.Duration
	// RetainBytes limits the size of the database: beyond it, the Frameworks with the oldest records are deleted. 0: no limit.
	// PostgreSQL keeps their space for later records, so its size stays near the limit. How much that is, is an estimate.
	RetainBytes int64
	// RetainLogBytes limits the compressed bytes of logs: beyond it, the lines of the oldest ones are deleted. 0: no limit.
	RetainLogBytes int64
	// Log must not be nil.
	Log hclog.Logger
}

// Store holds the history. All methods may be called at the same time.
type Store struct {
	dialect  dialect
	options  Options
	writer   *sql.DB
	readers  *sql.DB
	requests chan *request // read by the goroutine that writes
	closing  chan struct{}
	done     chan struct{} // closed when that goroutine has ended
	counts   counts
	watchers watchers
	notices  *notices // nil if no other process can have the database
	known    *dictionary
}

// ErrNotFound means that the history has no such Framework.
var ErrNotFound = errors.New("not in the history")

// ErrClosed means that the store was closed before the records were stored.
var ErrClosed = errors.New("the store is closed")

// Open opens or creates a database, brings its tables up to date, and begins to write.
func Open(ctx context.Context, o Options) (*Store, error) {
	d, writer, readers, err := open(o.Database)
	if err != nil {
		return nil, explained(o.Database, err)
	}
	s := &Store{dialect: d, options: o, writer: writer, readers: readers, requests: make(chan *request, queued),
		closing: make(chan struct{}), done: make(chan struct{}), known: newDictionary()}
	if err := migrate(ctx, d, writer); err != nil {
		_ = errors.Join(writer.Close(), readers.Close())
		return nil, explained(o.Database, err)
	}
	if s.Shared() {
		s.notices = newNotices(ctx, s, rand.Text())
	}
	go s.write()
	return s, nil
}

// Close stores the accepted records, and closes the database.
func (s *Store) Close() error {
	close(s.closing)
	<-s.done
	s.notices.Close()
	return errors.Join(s.readers.Close(), s.writer.Close())
}

// Ready fails if the database cannot be read.
func (s *Store) Ready(ctx context.Context) error { return reachable(ctx, s.readers) }

// Size is the number of bytes of the database in use.
func (s *Store) Size(ctx context.Context) (bytes int64, err error) {
	err = s.readers.QueryRowContext(ctx, s.dialect.size).Scan(&bytes)
	return bytes, err
}
