package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx", too
	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver" // registers the driver "sqlite3"
)

const (
	sqliteReaders   = 4
	postgresReaders = 8
)

// open connects to the database: once for the writer, and for readers.
func open(database string) (d dialect, writer, readers *sql.DB, err error) {
	if isPostgres(database) {
		if writer, err = sql.Open("pgx", database); err != nil {
			return d, nil, nil, err
		}
		config, err := pgx.ParseConfig(database)
		if err != nil {
			return d, nil, nil, err
		}
		readers = stdlib.OpenDB(*config, stdlib.OptionAfterConnect(prepareReader))
		return postgres, pool(writer, 2), pool(readers, postgresReaders), nil
	}
	if writer, err = sql.Open("sqlite3", sqliteWriter(database)); err != nil {
		return d, nil, nil, err
	}
	if readers, err = sql.Open("sqlite3", sqliteReader(database)); err != nil {
		return d, nil, nil, err
	}
	return sqlite, pool(writer, 1), pool(readers, sqliteReaders), nil
}

// prepareReader makes reports twice as fast: compiling one takes longer than running it, and its rows are sorted in memory.
func prepareReader(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, "SET jit = off; SET work_mem = '16MB'")
	return err
}

// sqliteWriter is the address of the only connection that writes. With synchronous=FULL, a committed batch also survives a
// loss of power; there is one sync for each batch.
func sqliteWriter(path string) string {
	return sqliteURL(path, "busy_timeout(10000)", "auto_vacuum(incremental)", "journal_mode(wal)", "synchronous(full)",
		"cache_size(-32768)", "journal_size_limit(67108864)", "temp_store(memory)")
}

func sqliteReader(path string) string {
	return sqliteURL(path, "busy_timeout(10000)", "query_only(1)", "cache_size(-8192)", "temp_store(memory)")
}

func sqliteURL(path string, pragmas ...string) string {
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(),
		RawQuery: url.Values{"_pragma": pragmas}.Encode()}).String()
}

// explained adds the way out to errors of a database that cannot be used.
func explained(database string, err error) error {
	switch {
	case err == nil:
		return nil
	case isPostgres(database):
		return fmt.Errorf("connecting to PostgreSQL: %w", err) // pgx leaves out the password
	case errors.Is(err, sqlite3.CORRUPT), errors.Is(err, sqlite3.NOTADB):
		return fmt.Errorf("%s is damaged, or no database: restore a backup, or move it away to begin anew: %w", database, err)
	case errors.Is(err, sqlite3.CANTOPEN), errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s cannot be opened: check that its directory exists and is writable: %w", database, err)
	}
	return fmt.Errorf("opening %s: %w", database, err)
}

// reachable fails if the database cannot be read.
func reachable(ctx context.Context, db *sql.DB) error {
	var n int
	return db.QueryRowContext(ctx, "SELECT 1").Scan(&n)
}

// Redacted is the address of a database without a password, for a log.
func Redacted(database string) string {
	if !isPostgres(database) {
		return database
	}
	if u, err := url.Parse(database); err == nil && u.Host != "" {
		return u.Redacted()
	}
	return "PostgreSQL"
}
