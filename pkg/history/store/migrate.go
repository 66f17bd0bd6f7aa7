package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// migrate brings the tables up to date. It refuses tables of a newer program, which it would not understand.
func migrate(ctx context.Context, d dialect, db *sql.DB) error {
	p, err := migrationsFor(d, db)
	if err != nil {
		return err
	}
	has, err := p.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	sources := p.ListSources()
	if known := sources[len(sources)-1].Version; has > known {
		return fmt.Errorf("the database has schema version %d, and this program knows versions up to %d: "+
			"run the newer program, or restore a backup from before its start", has, known)
	}
	_, err = p.Up(ctx)
	return err
}

func migrationsFor(d dialect, db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations/"+d.name)
	if err != nil {
		return nil, err
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if d.lock != nil {
		locker, err := d.lock()
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider(d.goose, db, files, options...)
}
