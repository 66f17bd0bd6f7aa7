package e2e

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A controller that starts on the objects of the original carries on, from every state: no existing object is recreated, none is lost, and
// times count from when the original stored them (contract, P7). It is not parallel, because the CRD is replaced for all.
func TestTakeOver(t *testing.T) {
	points := map[string]point{}
	for _, p := range frameworkPoints {
		points["framework "+p.name] = p
	}
	for _, p := range taskPoints {
		points["task "+p.name] = p
	}
	t.Run("installing its CRD", func(t *testing.T) {
		o := takeOver(t, points, plain, func(*testing.T) {})
		awaitOurCRD(t)
		watchAnew(t)
		o.goOn(t, points)
	})
	t.Run("compressed", func(t *testing.T) {
		o := takeOver(t, points, compressed, applyCRD)
		o.goOn(t, points)
	})
}

// form is how the statuses are stored.
type form bool

const (
	plain      form = false
	compressed form = true
)

// takenOver has the Frameworks on which a controller has been started.
type takenOver struct {
	stories map[string]*story
	laid    map[string]*laid
	pods    *recorder // sees all Pods from before the controller was started
}

// takeOver replaces the controller by the original, lays out the original's objects at all points, and restarts the controller.
func takeOver(t *testing.T, points map[string]point, f form, prepare func(*testing.T)) *takenOver {
	t.Helper()
	o := &takenOver{stories: map[string]*story{}, laid: map[string]*laid{}}
	controller.down(t, func() {
		installOriginalCRD(t)
		watchAnew(t) // a watch of Frameworks does not survive another CRD
		for name := range points {
			o.stories[name] = newStory(t)
		}
		if !t.Run("left", func(t *testing.T) { o.layOut(t, points, f) }) {
			t.FailNow()
		}
		prepare(t)
		watchAnew(t)
		o.pods = seen
	})
	return o
}

// watchAnew replaces the recorder. For the new one, the work of earlier controllers is the past.
func watchAnew(t *testing.T) {
	t.Helper()
	w, err := startRecorder(context.Background())
	require.NoError(t, err)
	t.Cleanup(seen.stop)
	seen = w
}

func (o *takenOver) layOut(t *testing.T, points map[string]point, f form) {
	var mu sync.Mutex
	for name, p := range points {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := o.stories[name].in(t).layOut(p.left, bool(f))
			mu.Lock()
			defer mu.Unlock()
			o.laid[name] = l
		})
	}
}

// in returns the story within a part of the test.
func (s *story) in(t *testing.T) *story {
	out := *s
	out.t = t
	return &out
}

// goOn checks the rest of the life of all Frameworks that were left.
func (o *takenOver) goOn(t *testing.T, points map[string]point) {
	t.Run("carried on", func(t *testing.T) {
		for name, p := range points {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := o.stories[name].in(t)
				t.Cleanup(func() {
					if t.Failed() {
						s.tell()
					}
				})
				o.follow(s, p, o.laid[name])
			})
		}
	})
}

func (o *takenOver) follow(s *story, p point, l *laid) {
	if p.then != nil {
		p.then(s)
	}
	var f *v1.Framework
	if p.want == "" {
		untilGone(s, theFrameworks, theLeft)
	} else {
		f = s.await(theLeft, "Completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed })
		if got := describe(f.Status); got != p.want {
			s.t.Errorf("got:\n%swant:\n%s", got, p.want)
		}
		l.requireKept(s, f)
	}
	s.requireCreated(o.pods, p.created)
	if p.check != nil {
		p.check(s, l, f)
	}
}

// requireCreated compares the Pods that were created after the take-over.
func (s *story) requireCreated(pods *recorder, want []string) {
	s.t.Helper()
	var got []string
	for _, p := range pods.podsOf(s.namespace) {
		if !p.inherited {
			got = append(got, p.name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.t.Errorf("Pods %q were created, want %q", got, want)
	}
}

// requireKept: objects that the original had on record for an attempt, or had created without recording them, are the attempt's objects in
// the end.
func (l *laid) requireKept(s *story, f *v1.Framework) {
	s.t.Helper()
	if l.left.status == "" {
		return
	}
	if got, want := f.Status.StartTime.UTC().Format(time.RFC3339), fieldsOf(l.framework.Object).at("status").text("startTime"); got != want {
		s.t.Errorf("startTime was %s and became %s", want, got)
	}
	attempt := f.Status.AttemptStatus
	if int(attempt.ID) != l.status.retried {
		return
	}
	if kept := l.status.object.recorded() || l.status.object == unnoted; kept && (attempt.ConfigMapUID == nil || *attempt.ConfigMapUID != l.configMap) {
		s.t.Errorf("ConfigMap %s was replaced by %v", l.configMap, attempt.ConfigMapUID)
	}
	for _, before := range l.tasks {
		after := task(f.Status, "a", before.index)
		if after == nil || before.pod == nil || before.deletionPending || int(after.AttemptStatus.ID) != before.retried {
			continue
		}
		if uid := after.AttemptStatus.PodUID; uid == nil || *uid != before.pod.UID {
			s.t.Errorf("Pod %s with UID %s was replaced by %v", before.pod.Name, before.pod.UID, uid)
		}
	}
}

// isStill waits until the controller has looked at the Framework, and requires that it is in that state.
func isStill(state v1.State) func(*story) {
	return func(s *story) {
		s.t.Helper()
		f := s.await(theLeft, "looked at", func(f *v1.FrameworkStatus) bool { return f.ObservedGeneration > 0 })
		if f.Status.State != state {
			s.t.Errorf("is not %s any more:\n%s", state, describe(f.Status))
		}
	}
}

// hasTasks waits until there are exactly n Tasks.
func hasTasks(n int32) func(*story) {
	return func(s *story) {
		s.t.Helper()
		s.await(theLeft, fmt.Sprintf("left with %d Tasks", n), func(f *v1.FrameworkStatus) bool { return countTasks(f) == n })
	}
}

// completes waits until that Task has.
func completes(index int) func(*story) {
	return func(s *story) {
		s.t.Helper()
		s.await(theLeft, fmt.Sprintf("rid of Task %d", index), func(f *v1.FrameworkStatus) bool {
			t := task(f, "a", index)
			return t != nil && t.State == v1.Completed && !t.DeletionPending
		})
	}
}

// released lets a Pod start that was held.
func released(pod string) func(*story) {
	return func(s *story) {
		s.t.Helper()
		s.annotatePod(pod, `{"simulate.frameworkcontroller.io/hold":null}`)
	}
}

// since is a time that was stored, plus a delay.
type since func(*story, *laid) time.Time

func sinceTransition(delay time.Duration) since {
	return func(s *story, l *laid) time.Time {
		return storedTime(s, fieldsOf(l.framework.Object).at("status")).Add(delay)
	}
}

func sinceTaskTransition(delay time.Duration) since {
	return func(s *story, l *laid) time.Time {
		role := fieldsOf(l.framework.Object).at("status").at("attemptStatus").list("taskRoleStatuses")[0]
		return storedTime(s, role.list("taskStatuses")[0]).Add(delay)
	}
}

func storedTime(s *story, status fieldsOf) time.Time {
	s.t.Helper()
	at, err := time.Parse(time.RFC3339, status.text("transitionTime"))
	require.NoError(s.t, err)
	return at
}

func sinceDeletion(delay time.Duration) since {
	return func(_ *story, l *laid) time.Time { return l.deleted.Add(delay) }
}

// endedNotBefore requires that the attempt has ended when it had to. Had the time been counted from when the
// controller was started, it would have ended later.
func endedNotBefore(due since) func(*story, *laid, *v1.Framework) {
	return func(s *story, l *laid, f *v1.Framework) {
		s.t.Helper()
		requireNotBefore(s, due(s, l), *f.Status.AttemptStatus.CompletionTime)
	}
}

// slack is how late things may happen on a busy machine.
const slack = 10 * time.Second

func requireNotBefore(s *story, due time.Time, at metav1.Time) {
	s.t.Helper()
	if late := at.Sub(due); late < -time.Second || late > slack { // stored times have whole seconds
		s.t.Errorf("was due at %s, and happened %s after that", due.Format(time.RFC3339), late)
	}
}

// keptStatus requires that the status is unchanged, but for fields that the original does not have.
func keptStatus(s *story, l *laid, _ *v1.Framework) {
	s.t.Helper()
	f, err := s.raw.Get(s.t.Context(), theLeft, metav1.GetOptions{})
	require.NoError(s.t, err)
	got := fieldsOf(f.Object).at("status")
	for _, added := range []string{"conditions", "observedGeneration", "tasks", "gate"} {
		delete(got, added)
	}
	if want := fieldsOf(l.framework.Object).at("status"); !reflect.DeepEqual(got, want) {
		s.t.Errorf("the status was changed\nfrom %s\nto   %s", jsonOf(s.t, want), jsonOf(s.t, got))
	}
}
