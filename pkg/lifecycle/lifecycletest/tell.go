package lifecycletest

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// tellers are the hooks through which the controller tells the story; they pass everything on.
func (s *Story) tellers() Hooks {
	return Hooks{
		Stepped:   s.tellStep,
		Saved:     s.tellSave,
		Reported:  s.keepEvents,
		Started:   s.Hooks.started,
		Performed: s.tellAction,
		Restarted: s.tellRestart,
		Failed:    s.Hooks.failed,
	}
}

func (s *Story) tell(format string, args ...any) {
	s.chain.end(&s.out)
	fmt.Fprintf(&s.out, format+"\n", args...)
}

func (s *Story) tellStep(in lifecycle.Input, out lifecycle.Output) {
	for _, move := range out.Moves {
		s.chain.add(&s.out, move)
	}
	for _, fault := range out.Faults {
		s.tell("FAULT: %s", fault)
	}
	s.holds = out.Holds
	s.Hooks.stepped(in, out)
}

func (s *Story) tellAction(action lifecycle.Action, err error) {
	if err != nil {
		s.tell("  %s: %s", action, err)
	} else {
		s.tell("  %s", action)
	}
	s.Hooks.performed(action, err)
}

func (s *Story) tellRestart() {
	s.tell("  the controller restarts")
	s.Hooks.restarted()
}

func (s *Story) keepEvents(events []lifecycle.Event) {
	s.events = append(s.events, events...)
	s.Hooks.reported(events)
}

func (s *Story) tellSave(status *v1.FrameworkStatus, err error) {
	if err != nil {
		s.tell("  save: %s", err)
	}
	s.Hooks.saved(status, err)
}

// tellHolds tells why things stay as they are, once nothing happens any more.
func (s *Story) tellHolds() {
	for _, hold := range s.holds {
		if hold.Task == nil {
			s.tell("framework stays (%s)%s", hold.Row, s.until())
		}
	}
	var tasks []string
	for _, hold := range s.holds {
		if hold.Task != nil {
			tasks = append(tasks, fmt.Sprintf("%s stays (%s)", *hold.Task, hold.Row))
		}
	}
	for _, line := range slices.Compact(tasks) {
		s.tell("%s", line)
	}
}

func (s *Story) until() string {
	if wake := s.controller.wake; !wake.IsZero() {
		return fmt.Sprintf(", looks again in %s", wake.Sub(s.server.now))
	}
	return ""
}
