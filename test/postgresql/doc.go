// Package postgresql runs PostgreSQL for tests: a server on a socket in a directory of its own, which ends with its owner.
//
//	programs, err := postgresql.Installed()
//	server, err := postgresql.New(programs)
//	defer server.Stop()
//	database, err := server.NewDatabase()
package postgresql
