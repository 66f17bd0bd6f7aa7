package lifecycletest

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// printers are the hooks that print the controller's steps; they pass everything on.
func (s *Story) printers() Hooks {
	return Hooks{
		Stepped:   s.printStep,
		Saved:     s.printSave,
		Reported:  s.keepEvents,
		Started:   s.Hooks.started,
		Performed: s.printAction,
		Archived:  s.Hooks.archived,
		Restarted: s.printRestart,
		Failed:    s.Hooks.failed,
	}
}

func (s *Story) print(format string, args ...any) {
	s.chain.end(&s.out)
	fmt.Fprintf(&s.out, format+"\n", args...)
}

func (s *Story) printStep(in lifecycle.Input, out lifecycle.Output) {
	for _, move := range out.Moves {
		s.chain.add(&s.out, move)
	}
	for _, fault := range out.Faults {
		s.print("FAULT: %s", fault)
	}
	s.holds = out.Holds
	s.Hooks.stepped(in, out)
}

func (s *Story) printAction(action lifecycle.Action, err error) {
	if err != nil {
		s.print("  %s: %s", action, err)
	} else {
		s.print("  %s", action)
	}
	s.Hooks.performed(action, err)
}

func (s *Story) printRestart() {
	s.print("  the controller restarts")
	s.Hooks.restarted()
}

func (s *Story) keepEvents(events []lifecycle.Event) {
	s.events = append(s.events, events...)
	s.Hooks.reported(events)
}

func (s *Story) printSave(status *v1.FrameworkStatus, err error) {
	if err != nil {
		s.print("  save: %s", err)
	}
	s.Hooks.saved(status, err)
}

// printHolds prints why states stay the same, once nothing happens any longer.
func (s *Story) printHolds() {
	for _, hold := range s.holds {
		if hold.Task == nil {
			s.print("framework stays (%s)%s", hold.Row, s.until())
		}
	}
	var tasks []string
	for _, hold := range s.holds {
		if hold.Task != nil {
			tasks = append(tasks, fmt.Sprintf("%s stays (%s)", *hold.Task, hold.Row))
		}
	}
	for _, line := range slices.Compact(tasks) {
		s.print("%s", line)
	}
}

func (s *Story) until() string {
	if wake := s.controller.wake; !wake.IsZero() {
		return fmt.Sprintf(", looks again in %s", wake.Sub(s.server.now))
	}
	return ""
}
