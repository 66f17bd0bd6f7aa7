package store

import (
	"database/sql"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// dialect has the differences between the databases.
type dialect struct {
	name  string // also the folder of its migrations
	goose goose.Dialect
	// arrays is whether a statement takes arrays of values, and the driver prepares it once for all transactions of a connection.
	arrays bool
	// bind translates parameters from $1.
	bind func(query string) string
	// lock guards migrations against other replicas; nil if there are none.
	lock func() (lock.SessionLocker, error)
	// size of the database in bytes.
	size string
	// used is the part of the size that rows take; it shrinks when rows are deleted. estimate, run before, makes it exact enough.
	used, estimate string
}

var sqlite = dialect{
	name:  "sqlite",
	goose: goose.DialectSQLite3,
	// SQLite numbers $1 by its first place in the text, but takes the number of ?1 as it is.
	bind: func(query string) string { return strings.ReplaceAll(query, "$", "?") },
	size: sqliteSize,
	used: sqliteSize,
}

const sqliteSize = `SELECT (p.page_count - f.freelist_count) * s.page_size
	FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`

var postgres = dialect{
	name:   "postgres",
	goose:  goose.DialectPostgres,
	arrays: true,
	bind:   func(query string) string { return query },
	lock:   func() (lock.SessionLocker, error) { return lock.NewPostgresSessionLocker() },
	size:   `SELECT pg_database_size(current_database())`,
	// A table keeps the space of deleted rows for new ones, and does not show how much that is. For the largest table, the sums know the
	// number of rows, and the statistics their width, without the header and the padding of a row. The rest is assumed to shrink alike.
	used: `SELECT CAST(pg_database_size(current_database()) *
			LEAST(1.0, a.rows * w.width / GREATEST(pg_relation_size('task_attempt'), 1)) AS BIGINT)
		FROM (SELECT COALESCE(sum(attempts), 0) AS rows FROM usage) a,
			(SELECT COALESCE(sum(avg_width * (1 - null_frac)), 0) + 76 AS width FROM pg_stats
				WHERE schemaname = current_schema() AND tablename = 'task_attempt') w`,
	estimate: "ANALYZE task_attempt",
}

// isPostgres distinguishes a URL or a list of key=value, as libpq accepts them, from the path of a file.
func isPostgres(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://") ||
		strings.Contains(database, "host=")
}

// pool limits the connections of readers. Each one of SQLite has a cache of its own.
func pool(db *sql.DB, most int) *sql.DB {
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(max(most/2, 1))
	return db
}
