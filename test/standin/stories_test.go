package main

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// played is a scheduler, with its peculiarities in the common stories.
type played struct {
	plugin     string
	scheduling string // spec.scheduling of a Framework for it
	resources  string // resources of a container that takes a third of a node
	noPods     bool   // a waiting gang has no Pods
	words      string // its message about a gang that does not fit
	annotation string // the annotation that names the group of a Pod,
	group      string // format of a group's name, from a namespace, a Framework and an attempt
}

// chapter is a story with its name.
type chapter struct {
	name string
	tell func(*story)
}

// tell runs the common stories, and the scheduler's own ones.
func (p *played) tell(t *testing.T, own ...chapter) {
	t.Parallel()
	for _, c := range append([]chapter{
		{"fits, and fits later", (*story).fitsLater},
		{"two compete", (*story).compete},
		{"Task retried alone", (*story).taskRetriedAlone},
		{"Task retried beside others", (*story).taskRetriedBesideOthers},
		{"attempt retried", (*story).attemptRetried},
	}, own...) {
		t.Run(c.name, func(t *testing.T) { c.tell(&story{world.NewStory(t), p}) })
	}
}

// A gang that fits runs. A gang that does not fit has no Pod on a node, until there is room for all of it, and reports the reason.
func (s *story) fitsLater() {
	s.create("first", "", role{name: "worker", tasks: 3}, role{name: "ps", tasks: 1})
	s.AwaitBound("first", 4, 4)
	s.awaitGroup("first", 0)

	s.create("second", "", role{name: "worker", tasks: 3}) // there is room for two
	pods := 3
	if s.noPods {
		pods = 0
	}
	s.AwaitWaiting("second", s.words)
	s.StaysBound("second", pods, 0)
	s.Delete("first")
	s.AwaitBound("second", 3, 3)
}

// If two gangs fit only one at a time, one runs as a whole, and then the other. Neither is retried.
func (s *story) compete() {
	names := []string{"a", "b"}
	for _, name := range names {
		s.create(name, "", role{name: "worker", tasks: 4, simulate: `simulate.frameworkcontroller.io/run-for: 2s`,
			ends: "minFailedTaskCount: 1, minSucceededTaskCount: 4"})
	}
	for _, name := range names {
		if f := s.AwaitSucceeded(name); f.AttemptStatus.ID != 0 {
			s.T.Errorf("%s has succeeded in attempt %d", name, f.AttemptStatus.ID)
		}
	}
}

// A Task that is retried when others have succeeded is placed.
func (s *story) taskRetriedAlone() {
	s.create("late", "",
		role{name: "quick", tasks: 2, simulate: `simulate.frameworkcontroller.io/run-for: 0s`},
		role{name: "slow", tasks: 1, simulate: `simulate.frameworkcontroller.io/run-for: 2s, simulate.frameworkcontroller.io/exit-codes: "1,0"`,
			ends: "minFailedTaskCount: 1, minSucceededTaskCount: 1", retries: 3})
	s.AwaitRetried("late", "slow", 1)
}

// A Task that is retried while others run gets its own place back, if there is no other.
func (s *story) taskRetriedBesideOthers() {
	s.create("full", "", role{name: "steady", tasks: 5},
		role{name: "flaky", tasks: 1, simulate: `simulate.frameworkcontroller.io/run-for: 1s, simulate.frameworkcontroller.io/exit-codes: "1,1,0"`,
			ends: "minFailedTaskCount: 1, minSucceededTaskCount: 1", retries: 3})
	s.AwaitRetried("full", "flaky", 2)
}

// The next attempt is a gang of its own, and the former one is gone.
func (s *story) attemptRetried() {
	s.create("again", "retryPolicy: {maxRetryCount: 1},", role{name: "a", tasks: 4,
		simulate: `simulate.frameworkcontroller.io/run-for: 1s, simulate.frameworkcontroller.io/exit-code: "1"`})
	s.awaitGroup("again", 1)
	s.Await("again", "completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed && f.AttemptStatus.ID == 1 })
}
