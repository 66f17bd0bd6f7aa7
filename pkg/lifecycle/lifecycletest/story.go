package lifecycletest

import (
	"fmt"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// Story is a simulated cluster with a controller, driven by commands. The commands are listed in doc.go.
type Story struct {
	// Hooks watch what happens; they may be set before the first command.
	Hooks Hooks

	config     lifecycle.Config
	server     *server
	controller *controller
	faults     *faults
	out        strings.Builder
	chain      chain

	slow  bool // nothing happens unless a command says so
	lag   bool // the caches of ConfigMaps and Pods receive no change unless a command says so
	stuck bool // nodes do nothing unless a command says so

	holds  []lifecycle.Hold // in the last round
	events []lifecycle.Event
	names  instances
}

// Config is the configuration that stories begin with.
func Config() lifecycle.Config {
	return lifecycle.Config{
		CreationTimeout:          5 * time.Minute,
		CompletedRetention:       30 * 24 * time.Hour,
		ConflictRetryDelayMinSec: 60,
		ConflictRetryDelayMaxSec: 900,
	}
}

// NewStory returns a cluster without anything in it.
func NewStory(config lifecycle.Config) *Story {
	s := &Story{config: config}
	s.begin()
	return s
}

// begin makes a new cluster.
func (s *Story) begin() {
	*s = Story{Hooks: s.Hooks, config: s.config, server: newServer(), names: instances{}}
	s.server.stored = func(o *object) { s.Hooks.stored(o.uid, s.controller.load(o.framework.status)) }
	s.faults = &faults{crashIn: -1}
	s.controller = &controller{server: s.server, config: s.config, faults: s.faults, hooks: s.printers(), admitted: map[admittable]bool{}}
	s.controller.start([kinds]int{})
	s.Hooks.restarted()
}

// Do executes a command, and returns the resulting output. It returns an error if the command is invalid; a command that merely
// does not apply, such as the end of a Pod that does not exist, does nothing.
func (s *Story) Do(command, input string) (string, error) {
	s.out.Reset()
	words := strings.Fields(command)
	execute, ok := commands[words[0]]
	if !ok {
		return "", fmt.Errorf("there is no command %q", words[0])
	}
	if err := execute(s, words[1:], input); err != nil {
		return "", err
	}
	s.Hooks.turned()
	if !s.slow {
		s.settle()
	}
	s.chain.end(&s.out)
	return s.out.String(), nil
}

// limit is the number of turns after which the story is expected to be at rest.
const limit = 5000

// settle takes turns until nothing changes any longer.
func (s *Story) settle() {
	s.holds = nil
	for range limit {
		if !s.turn() {
			s.printHolds()
			return
		}
	}
	s.Hooks.failed(fmt.Errorf("still busy after %d turns", limit))
}

// turn lets the first actor with something to do take one step, and reports whether there was one. The controller is the fastest
// and the nodes are the slowest, so that no intermediate state is missed.
func (s *Story) turn() bool {
	defer s.Hooks.turned()
	return s.controller.round() ||
		s.deliverAll(frameworks) ||
		!s.lag && s.catchUp() ||
		s.controller.advance(0) ||
		s.server.collectGarbage() ||
		!s.stuck && s.server.runNodes()
}

// catchUp delivers all changes to all caches. It reports whether there was anything.
func (s *Story) catchUp() bool {
	delivered := false
	for k := range kinds {
		delivered = s.deliverAll(k) || delivered
	}
	return delivered
}

func (s *Story) deliverAll(k kind) bool {
	delivered := false
	for s.controller.deliver(k) {
		delivered = true
	}
	return delivered
}
