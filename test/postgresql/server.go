package postgresql

import (
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// Server is a server on a socket in a directory of its own.
type Server struct {
	dir        string
	programs   Programs
	credential *syscall.Credential // nil for the user of this process
	process    *exec.Cmd           // the last one started
	databases  atomic.Int64
}

// New makes and starts a server.
func New(programs Programs) (s *Server, err error) {
	s = &Server{programs: programs}
	if s.dir, err = os.MkdirTemp("", "pg"); err != nil {
		return nil, err
	}
	if s.credential, err = unprivileged(s.dir); err != nil {
		return nil, err
	}
	if err := s.program("initdb", "-U", "history", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync").Run(); err != nil {
		return nil, fmt.Errorf("initdb: %w", err)
	}
	return s, s.Start()
}

// program returns a program of PostgreSQL about the data of this server.
func (s *Server) program(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.programs.bin, name), append([]string{"-D", filepath.Join(s.dir, "data")}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, io.Discard, io.Discard
	cmd.Env = append(os.Environ(), s.programs.environment...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// Start starts the server, and waits until it answers.
func (s *Server) Start() error {
	s.process = s.program("postgres", "-k", s.dir, "-c", "listen_addresses=")
	if err := s.process.Start(); err != nil {
		return err
	}
	admin, err := sql.Open("pgx", s.Address("history", "postgres"))
	if err != nil {
		return err
	}
	defer admin.Close()
	// It listens before it answers, and recovers before that.
	for end := time.Now().Add(machine.Within(time.Minute)); ; time.Sleep(50 * time.Millisecond) {
		if err := admin.Ping(); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// End ends the process by a signal: SIGQUIT without a word to its clients, and SIGINT in order.
func (s *Server) End(signal syscall.Signal) {
	_ = s.process.Process.Signal(signal)
	_ = s.process.Wait()
}

// Stop ends the server, and deletes it.
func (s *Server) Stop() {
	s.End(syscall.SIGQUIT)
	_ = os.RemoveAll(s.dir)
}

// Address returns the address of a database for a user, in the form of libpq. The superuser is history.
func (s *Server) Address(user, database string) string {
	return fmt.Sprintf("host=%s user=%s dbname=%s", s.dir, user, database)
}

// NewDatabase makes an empty database, and returns its name.
func (s *Server) NewDatabase() (name string, err error) {
	name = fmt.Sprintf("history%d", s.databases.Add(1))
	return name, s.Run("CREATE DATABASE " + name)
}

// Run runs a statement as the superuser.
func (s *Server) Run(statement string, args ...any) error {
	admin, err := sql.Open("pgx", s.Address("history", "postgres"))
	if err != nil {
		return err
	}
	defer admin.Close()
	_, err = admin.Exec(statement, args...)
	return err
}

// unprivileged returns another user if this process is root, as which the server refuses to run, and gives the directory to it.
func unprivileged(dir string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(dir, uid, gid)
}
