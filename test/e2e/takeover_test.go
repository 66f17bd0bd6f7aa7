package e2e

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// point is one point in the life of a Framework at which the original was stopped, and what becomes of it here.
type point struct {
	name    string
	left    left
	then    func(*story)                       // what happens after the take-over
	want    string                             // the description of its end; empty: it goes
	created []string                           // the Pods that are created after the take-over
	check   func(*story, *laid, *v1.Framework) // at its end
}

const (
	running     = "AttemptRunning object=there"
	stoppedWant = "Completed attempt=0 retried=0/0 code=-210 StopFrameworkRequested\na-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion\n"
)

// wellDone is the end of a Framework whose only Task has succeeded.
func wellDone(framework, task string) string {
	return fmt.Sprintf("Completed attempt=%s code=0 Succeeded trigger=a-0\na-0 Completed retried=%s code=0 Succeeded\n", framework, task)
}

// failedWith is the end of a Framework whose only Task has failed, without retries.
func failedWith(outcome string) string {
	return "Completed attempt=0 retried=0/0 " + outcome + " trigger=a-0\na-0 Completed retried=0/0 " + outcome + "\n"
}

// frameworkPoints has every state of a Framework.
var frameworkPoints = []point{
	{
		name: "no status", left: left{tasks: []string{"-"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		// The original cannot store a status for it. Without one, the defaults count.
		name: "no status, no executionType", left: left{framework: bare, tasks: []string{"-"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 1), want: failedWith("code=1 ContainerUnrecognizedFailed"),
	}, {
		name:    "AttemptCreationPending, held",
		left:    left{framework: `{executionType: Create}`, status: "AttemptCreationPending", tasks: []string{"AttemptCreationPending"}},
		then:    inOrder(isStill("AttemptCreationPending"), patched(theLeft, `spec: {executionType: Start}`), exits("left-a-0", 0)),
		created: []string{"left-a-0"}, want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptCreationPending",
		left: left{framework: `{retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 1}}`,
			status: "AttemptCreationPending retried=2/1", tasks: []string{"AttemptCreationPending"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("2 retried=2/1", "0/0"),
	}, {
		name:    "AttemptCreationPending, ConfigMap created",
		left:    left{status: "AttemptCreationPending object=unnoted", tasks: []string{"AttemptCreationPending"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptCreationPending, ConfigMap of the attempt before",
		left: left{framework: `{retryPolicy: {maxRetryCount: 1}}`, status: "AttemptCreationPending retried=1/1 object=outdated",
			tasks: []string{"AttemptCreationPending"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("1 retried=1/1", "0/0"),
		check: func(s *story, l *laid, f *v1.Framework) {
			if uid := f.Status.AttemptStatus.ConfigMapUID; uid == nil || *uid == l.configMap {
				s.t.Error("the ConfigMap of another attempt was adopted")
			}
		},
	}, {
		name:    "AttemptCreationRequested",
		left:    left{status: "AttemptCreationRequested object=there", tasks: []string{"AttemptCreationPending"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptCreationRequested, ConfigMap lost",
		left: left{status: "AttemptCreationRequested object=lost age=280s", tasks: []string{"AttemptCreationPending"}},
		want: "Completed attempt=0 retried=0/0 code=-110 ConfigMapLocalCacheCreationTimeout\n" +
			"a-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion\n",
		check: endedNotBefore(sinceTransition(300 * time.Second)),
	}, {
		name: "AttemptPreparing",
		left: left{status: "AttemptPreparing object=there", tasks: []string{"AttemptPreparing object=there hold=true"}},
		then: inOrder(isStill("AttemptPreparing"), released("left-a-0"), exits("left-a-0", 0)), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptPreparing, without Tasks",
		left: left{status: "AttemptPreparing object=there"},
		then: inOrder(isStill("AttemptPreparing"), patched(theLeft, `spec: {executionType: Stop}`)),
		want: "Completed attempt=0 retried=0/0 code=-210 StopFrameworkRequested\n",
	}, {
		name: "AttemptRunning",
		left: left{status: running, tasks: []string{running, "Completed code=0 object=lost age=30s"}},
		then: inOrder(isStill("AttemptRunning"), exits("left-a-0", 0)),
		want: wellDone("0 retried=0/0", "0/0") + "a-1 Completed retried=0/0 code=0 Succeeded\n",
	}, {
		// What the original has made explicit is not a default.
		name: "AttemptRunning, policy 0 and 0",
		left: left{role: `{frameworkAttemptCompletionPolicy: {minFailedTaskCount: 0, minSucceededTaskCount: 0}}`,
			status: running, tasks: []string{running}},
		then: exits("left-a-0", 1),
		want: "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-0\na-0 Completed retried=0/0 code=1 ContainerUnrecognizedFailed\n",
	}, {
		name: "AttemptRunning, no instance UIDs",
		left: left{older: true, status: running, tasks: []string{running}},
		then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptRunning, stopped meanwhile",
		left: left{framework: `{executionType: Stop}`, status: running, tasks: []string{running}},
		want: stoppedWant,
	}, {
		name:    "AttemptRunning, scaled up meanwhile",
		left:    left{role: `{taskNumber: 2}`, status: running, tasks: []string{running}},
		created: []string{"left-a-1"}, then: inOrder(exits("left-a-1", 0), completes(1), exits("left-a-0", 0)),
		want: wellDone("0 retried=0/0", "0/0") + "a-1 Completed retried=0/0 code=0 Succeeded\n",
	}, {
		name: "AttemptRunning, scaled down meanwhile",
		left: left{role: `{taskNumber: 1}`, status: running, tasks: []string{running, running}},
		then: inOrder(hasTasks(1), exits("left-a-0", 0)), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptDeletionPending",
		left: left{framework: `{executionType: Stop}`, status: "AttemptDeletionPending code=-210 object=there",
			tasks: []string{"AttemptRunning code=-220 object=there"}},
		want: stoppedWant,
	}, {
		name: "AttemptDeletionRequested",
		left: left{framework: `{executionType: Stop}`, status: "AttemptDeletionRequested code=-210 object=terminating",
			tasks: []string{"AttemptRunning code=-220 object=there terminate-after=15s"}},
		want: stoppedWant,
	}, {
		name: "AttemptDeletionRequested, all gone",
		left: left{framework: `{executionType: Stop}`, status: "AttemptDeletionRequested code=-210 object=lost",
			tasks: []string{"AttemptDeleting code=-220 object=lost"}},
		want: stoppedWant,
	}, {
		name: "AttemptDeleting",
		left: left{framework: `{executionType: Stop}`, status: "AttemptDeleting code=-210 object=terminating",
			tasks: []string{"AttemptDeleting code=-220 object=terminating terminate-after=15s"}},
		want: stoppedWant,
	}, {
		name: "AttemptDeleting, Pod stuck",
		left: left{framework: `{executionType: Stop}`, role: `{task: {podGracefulDeletionTimeoutSec: 20}}`, timeout: true,
			status: "AttemptDeleting code=-210 object=terminating",
			tasks:  []string{"AttemptDeleting code=-220 object=terminating terminate-after=1h"}},
		want: stoppedWant, check: endedNotBefore(sinceDeletion(20 * time.Second)),
	}, {
		name: "AttemptDeleting, ConfigMap deleted by others",
		left: left{status: "AttemptDeleting code=-100 object=terminating",
			tasks: []string{"AttemptRunning object=there terminate-after=15s"}},
		want: "Completed attempt=0 retried=0/0 code=-100 ConfigMapExternalDeleted\na-0 Completed retried=0/0 code=-101 PodExternalDeleted\n",
	}, {
		name: "AttemptCompleted, not to be retried", // type.attributes is null
		left: left{status: "AttemptCompleted code=-1201 object=lost", tasks: []string{"Completed code=-1201 object=lost"}},
		want: "Completed attempt=0 retried=0/0 code=-1201 ContainerDockerCreationError\na-0 Completed retried=0/0 code=-1201 ContainerDockerCreationError\n",
	}, {
		name: "AttemptCompleted, to be retried",
		left: left{framework: `{retryPolicy: {maxRetryCount: 1}}`, status: "AttemptCompleted code=1 object=lost",
			tasks: []string{"Completed code=1 object=lost"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("1 retried=1/1", "0/0"),
	}, {
		// The original stores the delay of each retry, even if it is 0, and executes the retry in its next round.
		name: "AttemptCompleted, retry due",
		left: left{framework: `{retryPolicy: {maxRetryCount: 1}}`, status: "AttemptCompleted code=1 object=lost delay=0",
			tasks: []string{"Completed code=1 object=lost"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("1 retried=1/1", "0/0"),
	}, {
		name: "AttemptCompleted, waiting",
		left: left{framework: `{retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 1}}`,
			status: "AttemptCompleted code=201 object=lost delay=600 age=580s", tasks: []string{"Completed code=201 object=lost"}},
		created: []string{"left-a-0"}, then: inOrder(isStill("AttemptCompleted"), exits("left-a-0", 0)),
		want: wellDone("1 retried=1/0", "0/0"),
		check: func(s *story, l *laid, f *v1.Framework) {
			requireNotBefore(s, sinceTransition(600*time.Second)(s, l), f.Status.AttemptStatus.StartTime)
		},
	}, {
		name: "AttemptCompleted, waiting, then stopped",
		left: left{framework: `{retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 1}}`,
			status: "AttemptCompleted code=201 object=lost delay=3600", tasks: []string{"Completed code=201 object=lost"}},
		then: inOrder(isStill("AttemptCompleted"), patched(theLeft, `spec: {executionType: Stop}`)),
		want: strings.Replace(stoppedWant, "attempt=0 retried=0/0", "attempt=1 retried=1/0", 1),
	}, {
		name: "Completed",
		left: left{status: "Completed code=0 object=lost", tasks: []string{"Completed retried=1/1 code=0 object=lost"}},
		then: isStill("Completed"),
		want: "Completed attempt=0 retried=0/0 code=0 Succeeded\na-0 Completed retried=1/1 code=0 Succeeded\n", check: keptStatus,
	}, {
		name: "Completed, to be deleted", // at the end of the default retention
		left: left{status: "Completed code=0 object=lost age=2591980s", tasks: []string{"Completed code=0 object=lost"}},
		check: func(s *story, l *laid, _ *v1.Framework) {
			requireNotBefore(s, sinceTransition(2592000*time.Second)(s, l), metav1.Now())
		},
	},
}

// taskPoints has every state of a Task, in a Framework that runs.
var taskPoints = []point{
	{
		name:    "AttemptCreationPending",
		left:    left{role: retryOnce, status: running, tasks: []string{"AttemptCreationPending retried=1/1"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "1/1"),
	}, {
		name: "AttemptCreationPending, Pod created",
		left: left{role: retryOnce, status: running, tasks: []string{"AttemptCreationPending retried=1/1 object=unnoted"}},
		then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "1/1"),
	}, {
		name: "AttemptCreationPending, to be removed",
		left: left{role: `{taskNumber: 1}`, status: running,
			tasks: []string{running, "AttemptCreationPending code=-230 deletionPending"}},
		then: inOrder(hasTasks(1), exits("left-a-0", 0)), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptCreationRequested",
		left: left{status: running, tasks: []string{"AttemptCreationRequested object=there"}},
		then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptCreationRequested, Pod lost",
		left: left{status: running, tasks: []string{"AttemptCreationRequested object=lost age=280s"}},
		want: failedWith("code=-111 PodLocalCacheCreationTimeout"), check: endedNotBefore(sinceTaskTransition(300 * time.Second)),
	}, {
		name: "AttemptPreparing",
		left: left{status: running, tasks: []string{"AttemptPreparing object=there hold=true"}},
		then: inOrder(released("left-a-0"), exits("left-a-0", 0)), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptRunning, in the second attempt",
		left: left{role: retryOnce, status: running, tasks: []string{"AttemptRunning retried=1/1 object=there"}},
		then: exits("left-a-0", 1),
		want: "Completed attempt=0 retried=0/0 code=1 ContainerUnrecognizedFailed trigger=a-0\na-0 Completed retried=1/1 code=1 ContainerUnrecognizedFailed\n",
	}, {
		name: "AttemptRunning, ended meanwhile",
		left: left{status: running, tasks: []string{"AttemptRunning object=succeeded"}},
		want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptRunning, Pod lost meanwhile",
		left: left{status: running, tasks: []string{"AttemptRunning object=lost"}},
		want: failedWith("code=-101 PodExternalDeleted"),
	}, {
		name: "AttemptRunning, to be removed",
		left: left{role: `{taskNumber: 1}`, status: running,
			tasks: []string{running, "AttemptRunning code=-230 deletionPending object=there"}},
		then: inOrder(hasTasks(1), exits("left-a-0", 0)), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptDeletionPending",
		left: left{status: running, tasks: []string{"AttemptDeletionPending code=0 object=succeeded"}},
		want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptDeletionRequested",
		left: left{status: running, tasks: []string{"AttemptDeletionRequested code=0 object=terminating terminate-after=15s"}},
		want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptDeleting, deleted by others",
		left: left{status: running, tasks: []string{"AttemptDeleting code=-101 object=terminating terminate-after=15s"}},
		want: failedWith("code=-101 PodExternalDeleted"),
	}, {
		name: "AttemptDeleting, Pod stuck", // the role's status has no copy of the timeout yet
		left: left{role: `{task: {podGracefulDeletionTimeoutSec: 20}}`, status: running,
			tasks: []string{"AttemptDeleting code=0 object=terminating terminate-after=1h"}},
		want: wellDone("0 retried=0/0", "0/0"), check: endedNotBefore(sinceDeletion(20 * time.Second)),
	}, {
		name:    "AttemptCompleted, to be retried",
		left:    left{role: retryOnce, status: running, tasks: []string{"AttemptCompleted code=1 object=lost"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "1/1"),
	}, {
		name:    "AttemptCompleted, retry due",
		left:    left{role: retryOnce, status: running, tasks: []string{"AttemptCompleted code=1 object=lost delay=0"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "1/1"),
	}, {
		name: "AttemptCompleted, not to be retried",
		left: left{status: running, tasks: []string{"AttemptCompleted code=1 object=lost"}},
		want: failedWith("code=1 ContainerUnrecognizedFailed"),
	}, {
		name:    "Completed, to be replaced",
		left:    left{status: running, tasks: []string{running, "Completed code=-230 deletionPending object=lost"}},
		created: []string{"left-a-1"}, then: inOrder(exits("left-a-1", 0), completes(1), exits("left-a-0", 0)),
		want: wellDone("0 retried=0/0", "0/0") + "a-1 Completed retried=0/0 code=0 Succeeded\n",
	},
}

const retryOnce = `{task: {retryPolicy: {maxRetryCount: 1}}}`

// A controller that is started on what the original has left carries on, from every state: nothing is created that is
// there already, nothing is lost, and times count from when the original stored them (contract, P7). It is not
// parallel, since the CRD is replaced for all.
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
		o.judged = true
		o.goOn(t, points)
	})
}

// form is how the statuses are stored.
type form bool

const (
	plain      form = false
	compressed form = true
)

// takenOver is what a controller has been started on.
type takenOver struct {
	stories map[string]*story
	laid    map[string]*laid
	pods    *witness // sees all Pods from before the controller was started
	judged  bool     // it sees all Frameworks too
}

// takeOver replaces the controller by the original, lays out what that leaves at all points, and starts the controller
// again.
func takeOver(t *testing.T, points map[string]point, f form, prepare func(*testing.T)) *takenOver {
	t.Helper()
	o := &takenOver{stories: map[string]*story{}, laid: map[string]*laid{}}
	controller.down(t, func() {
		installOriginalCRD(t)
		watchAnew(t) // a watch of Frameworks does not survive another CRD
		for name := range points {
			o.stories[name] = newStory(t)
			o.stories[name].tampered = true // the judge is told what was there before
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

// watchAnew replaces the witness.
func watchAnew(t *testing.T) {
	t.Helper()
	w, err := startWitness(context.Background())
	if err != nil {
		t.Fatal(err)
	}
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

// in returns the story as a part of it sees it.
func (s *story) in(t *testing.T) *story {
	out := *s
	out.t = t
	return &out
}

// goOn goes through what becomes of all that was left.
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
	if o.judged {
		for _, violation := range judge(append(l.sightings(), seen.sightings(s.namespace)...)) {
			s.t.Error(violation)
		}
	}
}

// sightings are what the judge has to know of the time before. Nobody has watched it, but this is how it must have been.
func (l *laid) sightings() []sighting {
	out := []sighting{{framework: seeFramework(l.framework)}}
	for _, task := range l.tasks {
		if task.object.exists() {
			out = append(out, sighting{pod: seePod(task.pod)})
		}
	}
	return out
}

// requireCreated compares the Pods that were created after the take-over.
func (s *story) requireCreated(pods *witness, want []string) {
	s.t.Helper()
	var got []string
	for _, sighting := range pods.sightings(s.namespace) {
		if sighting.pod != nil && !sighting.gone {
			got = append(got, sighting.pod.name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.t.Errorf("Pods %q were created, want %q", got, want)
	}
}

// requireKept: what the original had on record for an attempt, or had created without getting to record it, is what
// the attempt has in the end.
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

// hasTasks waits until there are just so many.
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
	if err != nil {
		s.t.Fatal(err)
	}
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

// keptStatus requires that the status is the one that was left, but for fields that the original does not have.
func keptStatus(s *story, l *laid, _ *v1.Framework) {
	s.t.Helper()
	f, err := s.raw.Get(s.t.Context(), theLeft, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	got := fieldsOf(f.Object).at("status")
	for _, added := range []string{"conditions", "observedGeneration", "tasks", "gate"} {
		delete(got, added)
	}
	if want := fieldsOf(l.framework.Object).at("status"); !reflect.DeepEqual(got, want) {
		s.t.Errorf("the status was changed\nfrom %s\nto   %s", jsonOf(s.t, want), jsonOf(s.t, got))
	}
}
