package lifecycle_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// FuzzSchedule: whatever happens to a Framework, every promise holds, and when the trouble ends, so does the
// commotion. A failure prints the schedule as a story, ready to be put into testdata.
func FuzzSchedule(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomBytes(seed, 100))
	}
	f.Fuzz(func(t *testing.T, bytes []byte) { checkSchedule(t, bytes) })
}

var (
	schedules = flag.Uint64("schedules", 500, "how many random schedules to try")
	first     = flag.Uint64("first-schedule", 0, "the number of the first of them, so that several processes can share out many")
)

// TestSchedules does the same over random schedules.
func TestSchedules(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // little is kept, and much is thrown away
	for seed := *first; seed < *first+*schedules; seed++ {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { checkSchedule(t, randomBytes(seed, 40+int(seed%200))) }) {
			return
		}
	}
}

func randomBytes(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	bytes := make([]byte, n)
	for i := range bytes {
		bytes[i] = byte(r.Uint32())
	}
	return bytes
}

func checkSchedule(t *testing.T, bytes []byte) {
	t.Helper()
	rough := len(bytes)%3 == 0
	commands := append((&schedule{bytes: bytes, rough: rough, scarce: len(bytes)%7 == 0, judged: len(bytes)%4 == 0, bad: len(bytes)%4 == 1, ordered: len(bytes)%4 == 2, inTurns: len(bytes)%3 == 1, dependent: len(bytes)%9 == 2, timed: len(bytes)%6 == 1, listed: len(bytes)%7 == 3, hungry: len(bytes)%6 == 2, storing: len(bytes)%5 == 3, asked: len(bytes)%4 == 3 || len(bytes)%8 == 2, archived: len(bytes)%5 < 2, logged: len(bytes)%5 > 0 && len(bytes)%5 < 4}).commands(), fairEnd()...)
	config := lifecycletest.Config()
	if len(bytes)%5 == 0 {
		config.MaxTasks = 4
	}
	story := lifecycletest.NewStory(config)
	c := newChecker(t, story)
	c.lenient = rough
	var told strings.Builder
	for _, c := range commands {
		tellOne(t, story, &told, c)
		if t.Failed() {
			t.Fatalf("in this story:\n%s", told.String())
		}
	}
	tell := func(commands ...command) {
		for _, c := range commands {
			tellOne(t, story, &told, c)
		}
	}
	c.lawSettled(tell)
	if !t.Failed() {
		c.lawLimitedRetries(tell)
	}
	if t.Failed() {
		t.Fatalf("in this story:\n%s", told.String())
	}
}

func tellOne(t *testing.T, story *lifecycletest.Story, told *strings.Builder, c command) {
	t.Helper()
	fmt.Fprintf(told, "%s\n%s----\n", c.line, c.input)
	out, err := story.Do(c.line, c.input)
	if err != nil {
		t.Errorf("%s: %v", c.line, err)
	}
	fmt.Fprintf(told, "%s\n", out)
}

// lawSettled: when nothing happens any more, the state stays, and nothing is left over (P4, S2c). A Task that is retried without a
// limit, and whose attempts its own deadline ends, never comes to rest, as the spec demands. It does when the deadline is removed.
func (c *checker) lawSettled(tell func(...command)) {
	c.lawStays(tell)
	if state := c.story.Stored(); state != nil && c.deadlineRepeats(state) {
		tell(command{line: "edit deadline=no", input: c.noDeadlines()})
		tell(fairEnd()...)
		c.lawStays(tell)
	}
	after := c.story.Stored()
	if after == nil {
		if pods := c.story.Pods(); len(pods) > 0 {
			c.violationf("nothing is left of a deleted Framework", "%v", pods)
		}
		return
	}
	c.lawNothingLeft(after)
	c.lawClaimsSettled(after)
	c.lawRemembered(after)
}

// lawStays: when nothing happens any more, nothing is asked for, and a restart changes nothing.
func (c *checker) lawStays(tell func(...command)) {
	before := c.story.Stored()
	actions := c.actions
	tell(command{line: "restart"}, command{line: "run"})
	after := c.story.Stored()
	if c.actions != actions {
		c.violationf("a settled state asks for nothing", "%d actions", c.actions-actions)
	}
	if before == nil {
		return
	}
	was, is := before.Status(), after.Status()
	if is.Waiting != nil && is.Waiting.Reason == string(reason.ItemsChanged) {
		was, is = withoutWait(was), withoutWait(is) // a list that has been edited since the attempt began is only in memory
	}
	if text(was) != text(is) {
		c.violationf("a settled state stays", "%s\n%s", text(was), text(is))
	}
}

// withoutWait returns a copy of a status that has everything but what the Framework waits for, and the nodes that are avoided, since
// a new wait is a reason for a write, which drops nodes whose time is over.
func withoutWait(s *v1.FrameworkStatus) *v1.FrameworkStatus {
	s = s.DeepCopy()
	s.Waiting, s.AvoidedNodes = nil, nil
	s.Conditions = slices.DeleteFunc(s.Conditions, func(c metav1.Condition) bool { return c.Type == v1.ConditionWaiting })
	return s
}

func (c *checker) lawNothingLeft(state *lifecycle.State) {
	if _, _, ok := c.story.ConfigMap(); ok && ended(state.Framework().State) {
		c.violationf("P4: an ended attempt has no ConfigMap", "%s", text(state.Status()))
	}
	for _, pod := range c.story.Pods() {
		task := state.Task(pod.Task)
		if task == nil || task.AttemptStatus.PodUID == nil || *task.AttemptStatus.PodUID != pod.UID || ended(task.State) {
			c.violationf("no Pod is left over", "%+v", pod)
		}
	}
	switch state.Framework().State {
	case v1.AttemptCreationPending, v1.Completed: // held, or ended
	case v1.AttemptCompleted:
		if !c.suspended {
			c.violationf("a fair schedule ends", "%s", text(state.Status()))
		}
	case v1.AttemptPreparing, v1.AttemptRunning:
		eachTask(state, c.lawTaskSettled)
	default:
		c.violationf("a fair schedule ends", "%s", text(state.Status()))
	}
}

func (c *checker) lawTaskSettled(ref lifecycle.TaskRef, task *v1.TaskStatus) {
	if task.DeletionPending {
		c.violationf("S2c: a flagged Task is removed in the end", "%s", ref)
	}
	held := task.State == v1.AttemptCreationPending && (heldBack(c.spec, c.stored.Framework().Gates, ref.Role) || c.waitsForOthers(ref, task) || c.lacksItem(ref))
	if task.State != v1.AttemptRunning && task.State != v1.Completed && !held && !c.waitsForRemoval(ref, task) {
		c.violationf("a fair schedule ends", "%s %s", ref, text(task))
	}
}
