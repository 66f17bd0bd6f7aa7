package e2e

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The tests in this file end the controller in the middle of its work. They are not parallel, so no other story runs meanwhile. The checker
// verifies that no Pod is created twice, and the like; see doc.go.

// ending is a way to end the controller.
type ending struct {
	name string
	end  func(t *testing.T)
}

var endings = []ending{
	{"SIGKILL", func(*testing.T) { controller.kill() }},
	{"SIGTERM", terminateCleanly},
}

// terminateCleanly ends the controller by a signal, on which it finishes its work in good order.
func terminateCleanly(t *testing.T) {
	t.Helper()
	awaitStarted(t)
	took, err := controller.terminate()
	if err != nil {
		t.Errorf("ended with %v", err)
	}
	if took > 5*time.Second {
		t.Errorf("took %s to end", took)
	}
	log := controller.run.Text()
	if !strings.Contains(log, "frameworkcontroller: stopped") {
		t.Error("does not say that it has stopped")
	}
	if line := brokenOff.FindString(log); line != "" {
		t.Errorf("a request was broken off: %s", line)
	}
}

// brokenOff matches the controller's log when a request of its own fails. Watches are always aborted, because they have no end.
var brokenOff = regexp.MustCompile(`(?m)^.*frameworkcontroller: .*context canceled.*$`)

// points returns n different numbers in between two, in order. They depend on the seed, and on which story it is.
func (s *story) points(n, above, below int) []int {
	which := fnv.New64()
	which.Write([]byte(s.namespace))
	random := rand.New(rand.NewPCG(uint64(*seed), which.Sum64()))
	out := random.Perm(below - above - 1)[:n]
	for i := range out {
		out[i] += above + 1
	}
	slices.Sort(out)
	s.t.Logf("seed %d: ending the controller at %v", *seed, out)
	return out
}

// interrupt ends the controller as soon as that many Pods have been created, or are gone, and restarts it.
func (s *story) interrupt(how ending, point int, count func(podCount) int) {
	s.t.Helper()
	s.awaitPods(fmt.Sprintf("at least %d", point), func(c podCount) bool { return count(c) >= point })
	how.end(s.t)
	controller.restart(s.t)
}

func created(c podCount) int { return c.created }
func gone(c podCount) int    { return c.gone }

// The controller is ended while it creates 200 Pods, and while it deletes most of them for a scale-down. It is ended again while the rest
// is deleted for a stop.
func TestInterruptedWhileCreatingAndDeleting(t *testing.T) {
	for _, how := range endings {
		t.Run(how.name, func(t *testing.T) {
			s := newStory(t)
			s.create("many", roleOf(200, pod()))
			for _, point := range s.points(2, 0, 200) {
				s.interrupt(how, point, created)
			}
			s.awaitAllRunning("many", 200)
			s.requirePods(podCount{created: 200, gone: 0})

			s.patch("many", scaleTo(50))
			for _, point := range s.points(2, 0, 150) {
				s.interrupt(how, point, gone)
			}
			s.awaitAllRunning("many", 50)
			s.requirePods(podCount{created: 200, gone: 150})

			s.patch("many", `spec: {executionType: Stop}`)
			s.interrupt(how, 150+s.points(1, 0, 50)[0], gone)
			f := s.awaitState("many", v1.Completed, 0)
			s.requirePods(podCount{created: 200, gone: 200})
			requireOutcomes(t, f.Status, "code=-210 StopFrameworkRequested", "Completed retried=0/0 code=-220 FrameworkAttemptCompletion")
			untilGone(s, theConfigMaps, v1.ConfigMapName("many"))
		})
	}
}

// The controller is ended while 100 Tasks fail, are retried, and succeed.
func TestInterruptedWhileTasksEnd(t *testing.T) {
	for _, how := range endings {
		t.Run(how.name, func(t *testing.T) {
			s := newStory(t)
			s.create("many", `{taskRoles: [{name: a, taskNumber: 100, task: {retryPolicy: {maxRetryCount: 1},
				pod: `+pod("run-for", "1s", "exit-codes", "1,0")+`}}]}`)
			for _, point := range s.points(3, 0, 200) {
				s.interrupt(how, point, gone)
			}
			f := s.awaitState("many", v1.Completed, 0)
			s.requirePods(podCount{created: 200, gone: 200})
			requireOutcomes(t, f.Status, "code=0 Succeeded", "Completed retried=1/1 code=0 Succeeded")
		})
	}
}

// The controller is ended while a Framework is on its way from one attempt to the next.
func TestInterruptedBetweenAttempts(t *testing.T) {
	s := newStory(t)
	s.create("again", `{retryPolicy: {maxRetryCount: 5}, taskRoles: [{name: a, taskNumber: 20, task: {
		pod: `+pod("run-for", "1s", "exit-code", "1")+`}}]}`)
	for _, state := range []v1.State{v1.AttemptDeletionPending, v1.AttemptDeleting, v1.AttemptCompleted, v1.AttemptCreationPending, v1.AttemptPreparing} {
		s.await("again", string(state)+" or further", func(f *v1.FrameworkStatus) bool { return f.State == state || f.State == v1.Completed })
		endings[0].end(t)
		controller.restart(t)
	}
	f := s.awaitState("again", v1.Completed, 5)
	if !strings.HasPrefix(describe(f.Status), "Completed attempt=5 retried=5/5 code=1 ") {
		t.Error(describe(f.Status))
	}
}

// requirePods compares the counts of Pods, which are final when the controller has nothing left to do.
func (s *story) requirePods(want podCount) {
	s.t.Helper()
	got := s.awaitPods(fmt.Sprintf("%+v", want), func(c podCount) bool { return c.created >= want.created && c.gone >= want.gone })
	if got != want {
		s.t.Errorf("got %+v, want %+v", got, want)
	}
}

// requireOutcomes compares how the Framework ended, and how every single one of its Tasks did.
func requireOutcomes(t *testing.T, f *v1.FrameworkStatus, framework, tasks string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(describe(f)), "\n")
	if !strings.Contains(lines[0], framework) {
		t.Errorf("got %s, want %s", lines[0], framework)
	}
	differ := slices.DeleteFunc(lines[1:], func(line string) bool { return strings.HasSuffix(line, tasks) })
	if len(differ) > 0 {
		t.Errorf("want %s, but %d Tasks differ:\n%s", tasks, len(differ), strings.Join(differ, "\n"))
	}
}
