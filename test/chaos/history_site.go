package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
	"github.com/frameworkcontroller/frameworkcontroller/test/postgresql"
)

// historySite is a history server with its database. Both may be killed, and are back soon.
type historySite struct {
	cluster  *cluster.Cluster
	binary   string
	name     string // name of its sink
	address  string
	database string
	postgres *postgresql.Server // nil if the database is a file
	dir, log string
	random   *rand.Rand // only for keep

	mu      sync.Mutex
	life    *launch.Process // nil before the first
	retired bool
	over    chan struct{} // closed after the last life
	fault   error         // why it has ended by itself
}

// openHistories starts a site with SQLite, and one with PostgreSQL if this machine has it.
func (s *stage) openHistories() error {
	binary, err := filepath.Abs(filepath.Join(filepath.Dir(s.binary), "history"))
	if err != nil {
		return err
	}
	open := func(h *historySite) error {
		s.histories = append(s.histories, h)
		h.cluster, h.binary, h.random = s.cluster, binary, rand.New(rand.NewPCG(s.seed, uint64(10+len(s.histories))))
		h.dir, h.log = filepath.Join(s.cluster.Dir, h.name), s.path(h.name+".log")
		return h.live()
	}
	if err := open(&historySite{name: "history-sqlite", database: "history.db"}); err != nil {
		return err
	}
	programs, err := postgresql.Installed()
	if err != nil {
		fmt.Println("history    without PostgreSQL:", err)
		return nil
	}
	server, err := postgresql.New(programs)
	if err != nil {
		return fmt.Errorf("starting PostgreSQL: %w", err)
	}
	return open(&historySite{name: "history-postgres", database: server.Address("history", "postgres"), postgres: server})
}

func (s *stage) closeHistories() {
	for _, h := range s.histories {
		h.retire()
	}
}

// live starts the server. It keeps running until it is retired.
func (h *historySite) live() error {
	h.over = make(chan struct{})
	var err error
	if h.address, err = launch.FreeAddress(); err == nil {
		err = h.start()
	}
	if err != nil {
		close(h.over)
		return err
	}
	go h.keep()
	return nil
}

// start begins a life, unless the site is retired.
func (h *historySite) start() (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.retired {
		return nil
	}
	life, err := launch.Program(h.cluster, launch.Options{
		Binary: h.binary, Dir: h.dir, Log: h.log, Attributes: &syscall.SysProcAttr{Setpgid: true},
		Args: []string{"serve", "--no-auth", "--address", h.address, "--database", h.database},
	})
	if err == nil {
		h.life = life
	}
	return err
}

// keep starts the server again whenever it has ended. By itself it may end only if it starts while its database is away.
func (h *historySite) keep() {
	defer close(h.over)
	for {
		if life := h.now(); life.EndedByItself() && h.postgres == nil {
			h.fail(fmt.Errorf("the history server has ended by itself (%w); see %s", life.Err(), h.log))
		}
		if h.isRetired() {
			return
		}
		time.Sleep(time.Duration(h.random.IntN(1500)) * time.Millisecond)
		if err := h.start(); err != nil {
			h.fail(err)
			return
		}
	}
}

// killDatabase kills PostgreSQL without a word to its clients, and starts it again after a while.
func (h *historySite) killDatabase(away time.Duration) error {
	h.postgres.End(syscall.SIGQUIT)
	time.Sleep(away)
	return h.postgres.Start()
}

// retire ends the site for good, and returns when it has ended.
func (h *historySite) retire() {
	h.mu.Lock()
	h.retired = true
	h.mu.Unlock()
	if life := h.now(); life != nil {
		life.Kill()
	}
	<-h.over
	if h.postgres != nil {
		h.postgres.Stop()
	}
}

func (h *historySite) now() *launch.Process {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.life
}

func (h *historySite) isRetired() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.retired
}

func (h *historySite) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fault = errors.Join(h.fault, err)
}

// failed returns why the server has ended by itself, if it has.
func (h *historySite) failed() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.fault
}

func (h *historySite) url() string { return "http://" + h.address }

// sink returns the configuration of its sink, an item of the list of plugins. All controllers have the same spool, as if it were on a
// volume that they share. The sink for PostgreSQL has none, so that Frameworks wait while the server or the database is away.
func (h *historySite) sink() string {
	spool := ""
	if h.postgres == nil {
		spool = fmt.Sprintf(", spoolDirectory: %q", filepath.Join(h.dir, "spool"))
	}
	return fmt.Sprintf("- {name: %s, kind: HistorySink, command: history-remote, failurePolicy: Wait, parameters: {url: %q%s}}", h.name, h.url(), spool)
}
