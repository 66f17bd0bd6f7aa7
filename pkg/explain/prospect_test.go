package explain

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

var lives = flag.Uint64("lives", 600, "how many random lives of a Framework to foretell")

// The answer about a retry agrees with the core's later decision, in random lives that are left undisturbed afterwards.
func TestProspectsComeTrue(t *testing.T) {
	seen := map[prospect]int{}
	timed := 0
	for number := range *lives {
		l := &foretold{story: lifecycletest.NewStory(lifecycletest.Config()), seen: seen, timed: &timed}
		l.live(t, number)
		if l.foretell(t) {
			l.comeTrue(t)
		}
		if t.Failed() {
			t.Fatalf("life %d:\n%s", number, l.told.String())
		}
	}
	for _, p := range []prospect{noMore, unsaid, noneOfDeleted, noneOfStopped, noneOfSuspend, afterInterrupt, withOthers, ofTheRole, scheduled, byPolicy} {
		if seen[p] == 0 {
			t.Errorf("no life had the prospect %q", p)
		}
	}
	if timed == 0 {
		t.Error("no life had an attempt whose begin is known")
	}
	t.Log(seen, timed)
}

// foretold is a life, and the answers about it at some moment.
type foretold struct {
	story *lifecycletest.Story
	told  strings.Builder
	seen  map[prospect]int
	timed *int

	whole *claim
	tasks map[lifecycle.TaskRef]*claim
}

// claim is the answer about an attempt whose end is decided.
type claim struct {
	retry
	prospect
	uid   string // the Task's; empty for the Framework
	id    int32  // the attempt's
	due   time.Time
	known bool // due is
	met   bool
}

func (l *foretold) do(t *testing.T, c lifecycletest.Command) {
	t.Helper()
	fmt.Fprintf(&l.told, "%s\n%s", c.Line, c.Input)
	out, err := l.story.Do(c.Line, c.Input)
	if err != nil {
		t.Fatalf("%s: %v", c.Line, err)
	}
	l.told.WriteString(out)
}

// live runs a life up to some moment: often one at which nothing changes, otherwise one in the middle.
func (l *foretold) live(t *testing.T, number uint64) {
	life := lifecycletest.NewLife(number)
	for _, c := range life.Begin() {
		l.do(t, c)
	}
	for range 3 + life.IntN(15) {
		l.do(t, life.Next())
	}
	if life.IntN(4) == 0 { // no further retries are granted, but scheduled ones stay
		l.do(t, lifecycletest.Command{Line: "edit", Input: "a max=0 fancy=no budget=no role=no\nb max=0 fancy=no budget=no role=no\n"})
	}
	if life.IntN(6) == 0 {
		l.do(t, lifecycletest.Command{Line: "delete framework"})
	}
	if life.IntN(2) == 0 {
		l.do(t, lifecycletest.Command{Line: "set slow on"})
		for range 1 + life.IntN(3) {
			l.do(t, life.Next())
		}
		for range life.IntN(12) {
			l.do(t, lifecycletest.Command{Line: "turn"})
		}
		if life.IntN(2) == 0 { // somebody has just changed the spec
			l.do(t, []lifecycletest.Command{{Line: "edit exec=Stop"}, {Line: "edit suspend"}}[life.IntN(2)])
		}
	}
	for range 20 { // let the core see the current spec
		l.do(t, lifecycletest.Command{Line: "deliver framework"})
	}
}

// foretell records the answer about each attempt whose end is decided.
func (l *foretold) foretell(t *testing.T) (any bool) {
	f := l.story.Object()
	if f == nil || f.Status == nil {
		return false
	}
	fmt.Fprintf(&l.told, "--- foretold at %s\n", l.story.Now())
	told := know(Facts{Framework: f, Now: l.story.Now()})
	l.tasks = map[lifecycle.TaskRef]*claim{}
	if f.Status.AttemptStatus.CompletionStatus != nil {
		l.whole = l.note(told, wholeRetry(told), "", f.Status.AttemptStatus.ID)
	}
	for _, role := range f.Status.AttemptStatus.TaskRoleStatuses {
		for i := range role.TaskStatuses {
			task := &role.TaskStatuses[i]
			if r, ok := taskRetry(told, role.Name, task); ok {
				l.tasks[lifecycle.TaskRef{Role: role.Name, Index: task.Index}] = l.note(told, r, task.InstanceUID, task.AttemptStatus.ID)
			}
		}
	}
	return l.whole != nil || len(l.tasks) > 0
}

func (l *foretold) note(told *known, r retry, uid string, id int32) *claim {
	c := &claim{retry: r, prospect: prospectOf(told, r), uid: uid, id: id}
	c.due, c.known = r.due(told)
	fmt.Fprintf(&l.told, "%s: %s, due %v %v: %s\n", r.about.Name, c.prospect, c.due, c.known, strings.Join(compose(told, told.framework(), retryOf(told, r)).Lines(), " "))
	return c
}

// comeTrue lets time pass, with a look right before and at each predicted time, and then far beyond.
func (l *foretold) comeTrue(t *testing.T) {
	l.story.Hooks.Stored = nil
	l.do(t, lifecycletest.Command{Line: "set slow off"})
	l.look(t, false)
	var dues []time.Time
	for _, c := range l.all() {
		if c.known && c.follows() && c.due.After(l.story.Now()) {
			dues = append(dues, c.due)
		}
	}
	slices.SortFunc(dues, time.Time.Compare)
	for _, due := range dues {
		for _, at := range []time.Time{due.Add(-time.Second), due} {
			if at.After(l.story.Now()) {
				l.do(t, lifecycletest.Command{Line: "advance " + at.Sub(l.story.Now()).String()})
				l.look(t, false)
			}
		}
	}
	for range 4 {
		l.do(t, lifecycletest.Command{Line: "heal"})
		l.do(t, lifecycletest.Command{Line: "advance 20m"})
		l.look(t, false)
	}
	for _, command := range []string{"keep a-0", "keep a-1", "keep a-2", "keep b-0", "keep b-1", "advance 20m", "edit suspend=no", "advance 20m"} {
		l.do(t, lifecycletest.Command{Line: command})
		l.look(t, false)
	}
	l.look(t, true)
}

func (l *foretold) all() (all []*claim) {
	if l.whole != nil {
		all = append(all, l.whole)
	}
	for _, c := range l.tasks {
		all = append(all, c)
	}
	return all
}

// look compares the answers with the current state; in the end everything must have come true.
func (l *foretold) look(t *testing.T, end bool) {
	t.Helper()
	f := l.story.Object()
	if l.whole != nil && !l.whole.met {
		l.lookAtWhole(t, f, end)
	}
	for ref, c := range l.tasks {
		if !c.met {
			l.lookAtTask(t, f, ref, c, end)
		}
	}
}

func (l *foretold) lookAtWhole(t *testing.T, f *v1.Framework, end bool) {
	t.Helper()
	c := l.whole
	var retried, completed bool
	if f != nil {
		retried, completed = f.Status.AttemptStatus.ID > c.id, f.Status.State == v1.Completed
	}
	switch {
	case f == nil && c.follows():
		t.Errorf("%s: %s, and it is gone", c.about.Name, c.prospect)
	case f == nil, completed && !retried && !c.follows(), completed && c.prospect == noneOfStopped:
		l.isMet(c)
	case completed && !retried:
		t.Errorf("%s: %s, and it has completed", c.about.Name, c.prospect)
	case retried:
		l.retried(t, c, f.Status.RetryPolicyStatus, 0, f.Status.AttemptStatus.StartTime.Time)
	case c.follows() && c.known && !l.story.Now().Before(c.due), end:
		t.Errorf("%s: %s, due %v, and nothing has happened: %s", c.about.Name, c.prospect, c.due, f.Status.State)
	}
}

// lookAtTask does so for a Task. Its prediction is void when its Framework's attempt ends, or when it is removed.
func (l *foretold) lookAtTask(t *testing.T, f *v1.Framework, ref lifecycle.TaskRef, c *claim, end bool) {
	t.Helper()
	var role *v1.TaskRoleStatus
	var task *v1.TaskStatus
	if f != nil {
		told := know(Facts{Framework: f})
		role, task = told.roleStatus(ref.Role), told.taskStatus(ref.Role, ref.Index)
	}
	switch {
	case task == nil, task.InstanceUID != c.uid, task.DeletionPending, f.Status.AttemptStatus.CompletionStatus != nil && task.AttemptStatus.ID == c.id:
		c.met = true
		if !c.follows() {
			l.isMet(c)
		}
	case task.AttemptStatus.ID > c.id:
		l.retried(t, c, task.RetryPolicyStatus, role.RetriedCount, task.AttemptStatus.StartTime.Time)
	case task.State == v1.Completed && c.follows():
		t.Errorf("%s: %s, and it has completed", c.about.Name, c.prospect)
	case task.State == v1.Completed:
		l.isMet(c)
	case c.follows() && c.known && !l.story.Now().Before(c.due), end:
		t.Errorf("%s: %s, due %v, and nothing has happened: %s", c.about.Name, c.prospect, c.due, task.State)
	}
}

func (l *foretold) isMet(c *claim) {
	c.met = true
	l.seen[c.prospect]++
}

// retried compares a retry with the predicted time and cost.
func (l *foretold) retried(t *testing.T, c *claim, is v1.RetryPolicyStatus, roleRetries int32, began time.Time) {
	t.Helper()
	if !c.follows() {
		t.Errorf("%s: %s, and another attempt has begun", c.about.Name, c.prospect)
		return
	}
	l.isMet(c)
	if c.known && !c.due.IsZero() {
		*l.timed++
		if !began.Equal(c.due) && (c.due.After(l.story.Now()) || began.Before(c.due)) {
			t.Errorf("%s: due %v, and has begun at %v", c.about.Name, c.due, began)
		}
	}
	if is.TotalRetriedCount != c.counters.TotalRetriedCount+1 {
		return // it was retried more than once meanwhile
	}
	counted := is.AccountableRetriedCount - c.counters.AccountableRetriedCount
	row := c.row()
	want := int32(0)
	if c.prospect == byPolicy && row.Accountable || c.prospect == scheduled && !row.Budget {
		want = 1
	}
	if counted != want {
		t.Errorf("%s: %s by row %s, and %d retries were counted", c.about.Name, c.prospect, row.ID, counted)
	}
	if c.prospect == ofRole && roleRetries <= c.role.RetriedCount {
		t.Errorf("%s: %s, and the role has %d retries as before", c.about.Name, c.prospect, roleRetries)
	}
}
