package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if database := os.Getenv(storeForever); database != "" {
		fmt.Fprintln(os.Stderr, storeUntilKilled(database))
		os.Exit(1)
	}
	if paths := os.Getenv(backupOf); paths != "" {
		fmt.Fprintln(os.Stderr, backUpForever(paths))
		os.Exit(1)
	}
	if dir := os.Getenv(storeInNoRoom); dir != "" {
		if err := storeUntilFull(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if shared != nil {
		shared.Stop()
	}
	os.Exit(code)
}

// onEach runs a test on SQLite, and on PostgreSQL if this machine has it. create returns the address of an empty database.
func onEach(t *testing.T, test func(t *testing.T, create func(testing.TB) string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newFile) })
	t.Run("postgres", func(t *testing.T) { test(t, newPostgres) })
}

func newFile(t testing.TB) string { return filepath.Join(t.TempDir(), "history.db") }

// opened opens a store that is closed with the test.
func opened(t testing.TB, database string) *Store {
	t.Helper()
	s, err := Open(context.Background(), Options{Database: database, Log: hclog.NewNullLogger()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// shared is the server of all tests, unless one stops it.
var (
	shared     *postgresServer
	sharedOnce sync.Once
	errShared  error
)

// newPostgres makes an empty database in the shared server, or skips with the reason.
func newPostgres(t testing.TB) string {
	t.Helper()
	return sharedServer(t).newDatabase(t)
}

func sharedServer(t testing.TB) *postgresServer {
	t.Helper()
	sharedOnce.Do(func() { shared, errShared = newPostgresServer() })
	if errShared != nil {
		t.Skip("no PostgreSQL:", errShared)
	}
	return shared
}
