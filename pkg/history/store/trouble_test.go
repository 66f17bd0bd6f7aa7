package store

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// troubled is a store of PostgreSQL with the records of crashRecords(0), as a user with no special rights.
type troubled struct {
	*Store
	server *postgresServer
	name   string // name of the database and its user
}

func newTroubled(t *testing.T, server *postgresServer) troubled {
	t.Helper()
	_, name, _ := strings.Cut(server.newDatabase(t), "dbname=")
	server.run(t, "CREATE USER "+name)
	server.run(t, fmt.Sprintf("ALTER DATABASE %[1]s OWNER TO %[1]s", name))
	return troubled{ingested(t, opened(t, server.Address(name, name)), crashRecords(0)), server, name}
}

// alter changes the database or the user, and ends all connections, as the change is for later ones.
func (s troubled) alter(t *testing.T, what, change string) {
	t.Helper()
	s.server.run(t, "ALTER "+what+" "+s.name+" "+change)
	s.server.run(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", s.name)
}

// requireNotStored requires that records are not acknowledged, within a time, and that the reason is no fault of theirs.
func (s troubled) requireNotStored(t *testing.T, within time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	_, err := s.Ingest(ctx, "default", crashRecords(1))
	require.Error(t, err)
	require.False(t, refused(err), "the records would be dropped: %v", err)
}

// requireRecovered requires that unacknowledged records can be stored now, and are stored once.
func (s troubled) requireRecovered(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return s.Ready(t.Context()) == nil }, machine.Within(10*time.Second), 10*time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := s.Ingest(t.Context(), "default", crashRecords(1))
		return err == nil
	}, machine.Within(30*time.Second), 10*time.Millisecond)
	ingested(t, s.Store, crashRecords(1))
	rows := rowsOf(t, s.Store)
	require.Equal(t, []int{6, 2}, []int{rows["task_attempt"], rows["happening"]})
	requireSums(t, s.Store)
	require.Zero(t, s.Counts().Refused)
}

// While PostgreSQL is away, records are not acknowledged; once it is back they are stored, without a restart of the store.
func TestPostgresIsAway(t *testing.T) {
	sharedServer(t) // skips without PostgreSQL
	server, err := newPostgresServer()
	require.NoError(t, err)
	defer server.Stop()
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGQUIT, "stopped": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			s := newTroubled(t, server)
			server.End(signal)
			s.requireNotStored(t, machine.Within(10*time.Second))
			require.Error(t, s.Ready(t.Context()))
			_, err := s.Frameworks(t.Context(), FrameworkQuery{Range: always, Limit: 1})
			require.Error(t, err)
			require.NoError(t, server.Start())
			s.requireRecovered(t)
		})
	}
}

// A lock held by somebody delays records, but no queries of other tables, and the delayed records are stored once.
func TestPostgresIsSlow(t *testing.T) {
	s := newTroubled(t, sharedServer(t))
	lock, err := s.readers.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = lock.ExecContext(t.Context(), "LOCK TABLE task_attempt IN EXCLUSIVE MODE")
	require.NoError(t, err)
	s.requireNotStored(t, 300*time.Millisecond)
	require.NoError(t, s.Ready(t.Context()))
	page, err := s.Tasks(t.Context(), TaskQuery{Range: always, Limit: 10})
	require.NoError(t, err)
	require.Len(t, page.Items, 3)
	require.NoError(t, lock.Rollback())
	s.requireRecovered(t)
}

// A database that only reads answers queries.
func TestPostgresIsReadOnly(t *testing.T) {
	s := newTroubled(t, sharedServer(t))
	s.alter(t, "DATABASE", "SET default_transaction_read_only = on")
	s.requireNotStored(t, machine.Within(10*time.Second))
	page, err := s.Tasks(t.Context(), TaskQuery{Range: always, Limit: 10})
	require.NoError(t, err)
	require.Len(t, page.Items, 3)
	s.alter(t, "DATABASE", "RESET default_transaction_read_only")
	s.requireRecovered(t)
}

// Without a free connection nothing is acknowledged, and a start fails with the reason.
func TestPostgresHasNoConnections(t *testing.T) {
	s := newTroubled(t, sharedServer(t))
	s.alter(t, "USER", "CONNECTION LIMIT 0")
	s.requireNotStored(t, machine.Within(10*time.Second))
	require.Error(t, s.Ready(t.Context()))
	_, err := Open(t.Context(), Options{Database: s.server.Address(s.name, s.name), Log: hclog.NewNullLogger()})
	require.ErrorContains(t, err, "connecting to PostgreSQL")
	require.ErrorContains(t, err, "too many connections")
	s.alter(t, "USER", "CONNECTION LIMIT -1")
	s.requireRecovered(t)
}
