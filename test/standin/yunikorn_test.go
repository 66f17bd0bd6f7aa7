package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestYuniKorn(t *testing.T) {
	p := &played{
		plugin: "yunikorn", scheduling: "queue: root.research", resources: "requests: {cpu: 10}", words: "waits for its placeholders",
		annotation: "yunikorn.apache.org/app-id", group: "%s-%s-%d",
	}
	p.tell(t,
		chapter{"rescaled", yunikornRescale},
		chapter{"a small queue", yunikornQueue},
		chapter{"placeholders in time or not at all", yunikornHard},
		chapter{"placeholders in time or one by one", yunikornSoft},
		chapter{"the time of the Framework", yunikornTimeout},
		chapter{"too late", yunikornCompleted},
	)
}

// Tasks that are added are placed one by one.
func yunikornRescale(s *story) {
	s.create("grows", "", role{name: "worker", tasks: 2})
	s.AwaitBound("grows", 2, 2)
	s.Scale("grows", 4)
	s.AwaitBound("grows", 4, 4)
	s.Scale("grows", 8) // there is room for six
	s.StaysBound("grows", 8, 6)
	s.Scale("grows", 4)
	s.AwaitBound("grows", 4, 4)
	s.Scale("grows", 1)
	s.AwaitBound("grows", 1, 1)
}

// A gang that is too large for its queue has no Pod on a node, even if nodes are free.
func yunikornQueue(s *story) {
	s.createFor("large", s.chosen(""), "queue: root.small", "", role{name: "worker", tasks: 2})
	s.StaysBound("large", 2, 0)
	s.createFor("small", s.chosen(""), "queue: root.research", "", role{name: "worker", tasks: 2})
	s.AwaitBound("small", 2, 2)
}

// begunBeside creates a gang for which there is room when another one is gone.
func begunBeside(s *story, plugins, scheduling, more string) {
	s.create("before", "", role{name: "worker", tasks: 4})
	s.AwaitBound("before", 4, 4)
	s.createFor("gang", plugins, scheduling, more, role{name: "worker", tasks: 4})
}

// With the style Hard, a gang that is not placed in time fails, with the reason. The next attempt is another application, and may succeed.
func yunikornHard(s *story) {
	hard := s.chosen("placeholderTimeoutInSeconds: 1")
	begunBeside(s, hard, s.scheduling, "retryPolicy: {maxRetryCount: 99},")
	s.Await("gang", "tried again", func(f *v1.FrameworkStatus) bool { return f.RetryPolicyStatus.AccountableRetriedCount > 0 })
	s.Delete("before")
	s.AwaitBound("gang", 4, 4)

	s.createFor("once", hard, s.scheduling, "", role{name: "worker", tasks: 4})
	f := s.Await("once", "completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed })
	task := f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	require.Contains(s.T, task.AttemptStatus.CompletionStatus.Diagnostics, "ResourceReservationTimeout")
}

// With the style Soft, its Pods are placed one by one after the timeout.
func yunikornSoft(s *story) {
	begunBeside(s, s.chosen("gangSchedulingStyle: Soft, placeholderTimeoutInSeconds: 1"), s.scheduling, "")
	s.AwaitBound("gang", 4, 2)
	s.Delete("before")
	s.AwaitBound("gang", 4, 4)
}

// The timeout of the Framework is shorter than its placeholders': it is retried, which is not counted.
func yunikornTimeout(s *story) {
	begunBeside(s, s.chosen(""), s.scheduling+", timeoutSec: 2", "retryPolicy: {fancyRetryPolicy: true},")
	s.Await("gang", "tried again", func(f *v1.FrameworkStatus) bool { return f.RetryPolicyStatus.TotalRetriedCount > 0 })
	s.Delete("before")
	s.AwaitBound("gang", 4, 4)
}

// An application that has completed takes no more Pods: a Task that is retried when it has had none for long is not placed.
func yunikornCompleted(s *story) {
	s.create("late", "", role{name: "worker", tasks: 1, simulate: `simulate.frameworkcontroller.io/run-for: 0s, simulate.frameworkcontroller.io/exit-code: "1"`,
		retries: 1, backoff: "initialDelaySec: 4"}) // of an application that completes after 2
	s.awaitTold("late", "has completed")
	s.StaysBound("late", 1, 0)
}
