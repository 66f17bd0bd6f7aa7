package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
)

// requireRefused requires that Open fails with this text, names the file, and does not change it.
func requireRefused(t *testing.T, file, text string) {
	t.Helper()
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	_, err = Open(t.Context(), Options{Database: file, Log: hclog.NewNullLogger()})
	require.ErrorContains(t, err, text)
	require.ErrorContains(t, err, file)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after, "the file was changed")
}

// A database that a newer program has written is refused.
func TestNewerSchema(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		database := create(t)
		s := ingested(t, opened(t, database), life())
		_, err := s.writer.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true)")
		require.NoError(t, err)
		_, err = Open(t.Context(), Options{Database: database, Log: hclog.NewNullLogger()})
		files, readErr := migrations.ReadDir("migrations/" + s.dialect.name)
		require.NoError(t, readErr)
		require.ErrorContains(t, err, fmt.Sprintf("has schema version 99, and this program knows versions up to %d: run the newer program", len(files)))
	})
}

// A file that is no database, or a damaged one, is refused with a remedy, and left unchanged.
func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	ingested(t, opened(t, good), life())
	whole := filepath.Join(dir, "whole.db")
	require.NoError(t, Backup(t.Context(), good, whole))
	content, err := os.ReadFile(whole)
	require.NoError(t, err)
	noise := make([]byte, 50_000)
	random := rand.New(rand.NewPCG(4, 4))
	for i := range noise {
		noise[i] = byte(random.IntN(256))
	}
	for name, bytes := range map[string][]byte{
		"text":          []byte("this is the diary of somebody, and no database\n"),
		"noise":         noise,
		"half":          content[:len(content)/2],
		"header":        content[:100],
		"cut in a page": content[:len(content)-100],
		"noise at 4096": append(append([]byte{}, content[:4096]...), noise...),
		"zeros at 4096": append(append([]byte{}, content[:4096]...), make([]byte, len(content)-4096)...),
		"noise inside":  append(append([]byte{}, content[:len(content)-len(noise)]...), noise...),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name+".db")
			require.NoError(t, os.WriteFile(file, bytes, 0o600))
			requireRefused(t, file, "is damaged, or no database: restore a backup, or move it away")
		})
	}
}

// A path that cannot be opened is refused with the reason.
func TestUnusablePath(t *testing.T) {
	_, err := Open(t.Context(), Options{Database: filepath.Join(t.TempDir(), "none", "history.db"), Log: hclog.NewNullLogger()})
	require.ErrorContains(t, err, "check that its directory exists and is writable")
	dir := t.TempDir()
	_, err = Open(t.Context(), Options{Database: dir, Log: hclog.NewNullLogger()})
	require.ErrorContains(t, err, dir)
}

// Tables of an older program are migrated with their rows.
func TestOlderSchema(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		database := create(t)
		d, writer, readers, err := open(database)
		require.NoError(t, err)
		older, err := migrationsFor(d, writer)
		require.NoError(t, err)
		_, err = older.UpTo(t.Context(), 3)
		require.NoError(t, err)
		_, err = writer.ExecContext(t.Context(),
			`INSERT INTO framework (cluster, uid, namespace, name, revision, created, updated, object) VALUES ('default', 'u', 'prod', 'train', 1, 0, 0, 'a')`)
		require.NoError(t, err)
		require.NoError(t, errors.Join(writer.Close(), readers.Close()))
		s := opened(t, database)
		require.EqualValues(t, 1, count(t, s, "content_use"))
		ingested(t, s, life())
	})
}
