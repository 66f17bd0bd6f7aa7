package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup writes a consistent copy of an SQLite database to a file that must not exist, also while a server runs. The copy is
// complete once the file has its name. A process that is killed before leaves files with .part in their names.
func Backup(ctx context.Context, database, file string) error {
	if isPostgres(database) {
		return errors.New("the database is PostgreSQL: back it up with pg_dump")
	}
	info, err := os.Stat(database)
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return errExists(file)
	}
	// Each backup has a file of its own, as two may run at the same time. It is empty, so that SQLite writes into it.
	part, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	if err := copyDatabase(ctx, database, part.Name()); err != nil {
		return errors.Join(explained(database, err), part.Close())
	}
	if err := errors.Join(part.Chmod(info.Mode().Perm()), part.Sync(), part.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", part.Name(), err)
	}
	return publish(part.Name(), file)
}

func copyDatabase(ctx context.Context, database, file string) error {
	db, err := sql.Open("sqlite3", sqliteURL(database, "busy_timeout(10000)"))
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return fmt.Errorf("copying to %s: %w", file, err)
	}
	return nil
}

// publish gives a file its name, unless another one got that name meanwhile, and makes the name durable.
func publish(part, file string) error {
	switch err := os.Link(part, file); {
	case errors.Is(err, fs.ErrExist):
		return errExists(file)
	case err != nil: // a file system without links
		if err := os.Rename(part, file); err != nil {
			return err
		}
	}
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func errExists(file string) error { return fmt.Errorf("%s exists: choose another file", file) }
