package controller

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// world is an API server with a controller that runs against it. When its test ends, every request that the
// controller made is audited (audit_test.go), and its log must not hold an error that the test did not expect.
type world struct {
	*apitest.Server
	t       *testing.T
	log     *logBuffer
	options Options
	config  *rest.Config

	c    *Controller
	stop func() // ends the controller that runs, and waits until it has ended

	errorsExpected bool
	// tampered: the test writes statuses by hand, so they do not follow from each other.
	tampered bool
}

// newWorld returns a world whose controller does not run yet.
func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOn(t, apitest.Start(t))
}

func newWorldOn(t *testing.T, s *apitest.Server) *world {
	w := &world{Server: s, t: t, log: &logBuffer{}, config: s.Config(), stop: func() {}}
	w.options = Options{
		Workers: 4,
		Lifecycle: lifecycle.Config{
			CreationTimeout:    time.Minute,
			CompletedRetention: time.Hour,
		},
		CRD: CRDOptions{Manifest: []byte(manifest), CheckInterval: 10 * time.Millisecond, CheckTimeout: 10 * time.Second},
		Log: hclog.New(&hclog.LoggerOptions{Output: w.log, Level: hclog.Debug, Mutex: &w.log.mu}),
	}
	t.Cleanup(w.end)
	return w
}

// manifest is all of the CRD that the server looks at.
const manifest = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: frameworks.frameworkcontroller.microsoft.com}
spec: {versions: [{name: v1, subresources: {status: {}}}]}
`

// startWorld returns a world whose controller runs.
func startWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.start()
	return w
}

// start runs a new controller, which knows nothing of an earlier one.
func (w *world) start() {
	w.t.Helper()
	clients, err := NewClients(w.config)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.c, err = New(clients, w.options); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	c := w.c
	go func() { ended <- c.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil && !strings.Contains(err.Error(), context.Canceled.Error()) {
				w.t.Errorf("Run returned %v", err)
			}
		case <-time.After(patience):
			w.t.Error("the controller does not stop")
		}
	})
}

// kill ends the controller while the API server does not answer it any more.
func (w *world) kill() {
	w.Judge(func(apitest.Request) apitest.Fault { return apitest.DropConnection })
	w.stop()
}

// restart replaces the controller by a new one.
func (w *world) restart() {
	w.t.Helper()
	w.stop()
	w.start()
}

// end stops the controller and judges what it did.
func (w *world) end() {
	w.Heal() // or client-go tries requests under way again and again
	w.stop()
	w.audit()
	if errors := w.log.lines("[ERROR]"); len(errors) > 0 && !w.errorsExpected {
		w.t.Errorf("the log has errors:\n%s", strings.Join(errors, "\n"))
	}
	if w.t.Failed() {
		w.t.Logf("requests:\n%s\nlog:\n%s", w.story(), w.log)
	}
}

// story lists the requests, but for the watches' own.
func (w *world) story() string {
	var b strings.Builder
	for _, q := range w.Requests("*") {
		b.WriteString(q.At.Format("05.000 ") + q.String() + "\n")
	}
	return b.String()
}

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// eventually waits until a condition holds.
func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	if !w.within(patience, holds) {
		w.t.Fatalf("still not: %s", what)
	}
}

// within reports whether a condition comes to hold in that time. It looks again whenever the server has news, and
// now and then.
func (w *world) within(d time.Duration, holds func() bool) bool {
	for end := time.Now().Add(d); time.Now().Before(end); {
		news := w.News()
		if holds() {
			return true
		}
		select {
		case <-news:
		case <-time.After(20 * time.Millisecond):
		}
	}
	return false
}

// never checks that a condition does not hold for a while.
func (w *world) never(what string, holds func() bool) {
	w.t.Helper()
	if w.within(300*time.Millisecond, holds) {
		w.t.Fatalf("should not be: %s", what)
	}
}

// requested waits for so many requests of a pattern, and returns them.
func (w *world) requested(pattern string, n int) []apitest.Request {
	w.t.Helper()
	w.eventually(pattern, func() bool { return len(w.Requests(pattern)) >= n })
	return w.Requests(pattern)
}

// status returns the stored status of a Framework; its zero value if there is none that makes sense.
func (w *world) status(name string) *v1.FrameworkStatus {
	return statusOf(w.Get(apitest.Frameworks, name))
}

func statusOf(o *unstructured.Unstructured) *v1.FrameworkStatus {
	if o == nil || o.Object["status"] == nil {
		return &v1.FrameworkStatus{}
	}
	status := &v1.FrameworkStatus{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object["status"].(map[string]any), status); err != nil {
		return &v1.FrameworkStatus{}
	}
	return status
}

// reaches waits until the Framework is in that state.
func (w *world) reaches(name string, state v1.State) {
	w.t.Helper()
	w.eventually(name+" is in "+string(state), func() bool { return w.state(name) == state })
}

// state is status for those who wait for it often.
func (w *world) state(name string) v1.State {
	o := w.Get(apitest.Frameworks, name)
	if o == nil {
		return ""
	}
	state, _, _ := unstructured.NestedString(o.Object, "status", "state")
	return v1.State(state)
}

// task returns the status of a Task; its zero value if there is none.
func (w *world) task(framework, role string, index int) v1.TaskStatus {
	w.t.Helper()
	return taskOfStatus(w.status(framework), role, index)
}

func taskOfStatus(status *v1.FrameworkStatus, role string, index int) v1.TaskStatus {
	for _, r := range status.AttemptStatus.TaskRoleStatuses {
		if r.Name == role && index < len(r.TaskStatuses) {
			return r.TaskStatuses[index]
		}
	}
	return v1.TaskStatus{}
}

// taskReaches waits until the Task is in that state.
func (w *world) taskReaches(framework, role string, index int, state v1.State) {
	w.t.Helper()
	w.eventually(v1.PodName(framework, role, int32(index))+" is in "+string(state), func() bool {
		return w.task(framework, role, index).State == state
	})
}

// condition returns a condition's status and reason as "True because Reason"; empty if there is none.
func (w *world) condition(framework, kind string) string {
	o := w.Get(apitest.Frameworks, framework)
	if o == nil {
		return ""
	}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if c := c.(map[string]any); c["type"] == kind {
			return fmt.Sprintf("%s because %s", c["status"], c["reason"])
		}
	}
	return ""
}

// conditionBecomes waits until a condition has that status and reason.
func (w *world) conditionBecomes(framework, kind, want string) {
	w.t.Helper()
	w.eventually(framework+" has condition "+kind+" "+want, func() bool { return w.condition(framework, kind) == want })
}

// warnings returns how often each Warning event was reported on a Framework, by reason.
func (w *world) warnings(framework string) map[string]int {
	w.t.Helper()
	count := map[string]int{}
	for _, o := range w.List(apitest.Events) {
		e := &corev1.Event{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, e); err != nil {
			w.t.Fatal(err)
		}
		if e.Type == corev1.EventTypeWarning && e.InvolvedObject.Name == framework {
			count[e.Reason] += int(e.Count)
		}
	}
	return count
}

// warnedOnce waits for the one Warning event of that reason, and sees to it that no other comes.
func (w *world) warnedOnce(framework, reason string) {
	w.t.Helper()
	w.eventually("Warning "+reason, func() bool { return w.warnings(framework)[reason] > 0 })
	w.never("a second Warning "+reason, func() bool { return w.warnings(framework)[reason] > 1 })
}

// running creates a Framework of one Task and waits until its Pod runs.
func (w *world) running(name string, edits ...func(*v1.FrameworkSpec)) {
	w.t.Helper()
	w.create(name, edits...)
	w.runs(name)
}

func (w *world) runs(name string) {
	w.t.Helper()
	w.taskReaches(name, "w", 0, v1.AttemptPreparing)
	w.RunPod(v1.PodName(name, "w", 0))
	w.reaches(name, v1.AttemptRunning)
}

// create stores a Framework that has, unless an edit says otherwise, one role "w" of one Task, and no retries.
func (w *world) create(name string, edits ...func(*v1.FrameworkSpec)) {
	w.t.Helper()
	w.Create(apitest.Frameworks, framework(w.t, name, edits...))
}

func framework(t *testing.T, name string, edits ...func(*v1.FrameworkSpec)) *unstructured.Unstructured {
	t.Helper()
	f := &v1.Framework{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: v1.FrameworkKind},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1.FrameworkSpec{ExecutionType: v1.ExecutionStart, TaskRoles: []v1.TaskRoleSpec{role("w", 1)}},
	}
	for _, edit := range edits {
		edit(&f.Spec)
	}
	return asTree(t, f)
}

func asTree(t *testing.T, o any) *unstructured.Unstructured {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: out}
}

func role(name string, tasks int32) v1.TaskRoleSpec {
	return v1.TaskRoleSpec{
		Name:                             name,
		TaskNumber:                       tasks,
		FrameworkAttemptCompletionPolicy: v1.CompletionPolicySpec{MinFailedTaskCount: 1, MinSucceededTaskCount: -1},
		Task:                             v1.TaskSpec{Pod: v1.PodTemplate(`{"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "none"}]}}`)},
	}
}

func roles(roles ...v1.TaskRoleSpec) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles = roles }
}

func tasks(n int32) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles[0].TaskNumber = n }
}

func taskRetries(n int32) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = n }
}

func frameworkRetries(n int32) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.RetryPolicy.MaxRetryCount = n }
}

func gracefulTimeoutSec(n int64) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles[0].Task.PodGracefulDeletionTimeoutSec = &n }
}

func template(pod string) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles[0].Task.Pod = v1.PodTemplate(pod) }
}

// stopFramework asks for the Framework's end, as users do.
func (w *world) stopFramework(name string) {
	w.Set(apitest.Frameworks, name, string(v1.ExecutionStop), "spec", "executionType")
}

// logBuffer keeps what is logged.
type logBuffer struct {
	mu   logMutex
	text bytes.Buffer
}

// logMutex is what hclog holds while it writes.
type logMutex = sync.Mutex

func (b *logBuffer) Write(p []byte) (int, error) { return b.text.Write(p) }

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// lines returns the lines that hold a text.
func (b *logBuffer) lines(text string) []string {
	var out []string
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, text) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}
