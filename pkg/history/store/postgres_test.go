package store

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/postgresql"
)

// postgresServer is a PostgreSQL of a test.
type postgresServer struct{ *postgresql.Server }

// newPostgresServer makes and starts a server.
func newPostgresServer() (*postgresServer, error) {
	programs, err := findPostgres()
	if err != nil {
		return nil, err
	}
	s, err := postgresql.New(programs)
	return &postgresServer{s}, err
}

// findPostgres finds the newest PostgreSQL of this machine. If there is none, it downloads Debian's if run as root, as tests on a node do
// for their programs.
func findPostgres() (postgresql.Programs, error) {
	installed, err := postgresql.Installed()
	switch {
	case err == nil:
		return installed, nil
	case os.Getuid() != 0 || testing.Short():
		return installed, errors.Join(err, errors.New("as root, and without -short, this test gets it by itself"))
	}
	return postgresql.Fetched("../../../bin/tools/postgresql")
}

// newDatabase makes an empty database, and returns its address as the superuser.
func (s *postgresServer) newDatabase(t testing.TB) string {
	t.Helper()
	name, err := s.NewDatabase()
	require.NoError(t, err)
	return s.Address("history", name)
}

// run runs a statement as the superuser.
func (s *postgresServer) run(t testing.TB, statement string, args ...any) {
	t.Helper()
	require.NoError(t, s.Run(statement, args...))
}
