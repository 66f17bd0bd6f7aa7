package security

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Requirements on a controller beside the greediest author that we could think of.
const (
	mostMemory    = 500 << 20
	firstPod      = 2 * time.Second
	verdictWithin = 5 * time.Second
	asSlow        = 25 // times the duration without that author, if that is longer on a slow machine
	asSlowAsBare  = 8  // times the duration of the same number of writes by a client that does nothing else at that time, likewise
	quietOnes     = 50
)

// shipped is the configuration that the images have.
const shipped = "../../example/config/default/frameworkcontroller.yaml"

// One author, who may edit one namespace and nothing else, does all that is known to cost a controller much, all at once.
// The Frameworks of another namespace do not notice.
func TestGreedyAuthor(t *testing.T) {
	configuration, err := os.ReadFile(shipped)
	require.NoError(t, err)
	p := startController(t, string(configuration))
	greedy, quiet, bareClient := newAuthor(t, "greedy"), newAuthor(t, "quiet"), newAuthor(t, "bare")
	before := quiet.observe("before", quietOnes/5)
	go greedy.editAgainAndAgain(t.Context(), "edited")
	greedyFrameworks(greedy)
	stopFloor := bareClient.startFloor()
	beside := quiet.observe("beside", quietOnes)
	bare := stopFloor()
	peak := p.peakMemory()

	t.Logf("before: %s; beside the greedy author: %s; the writes of a first Pod alone: after %s, %s at most; the controller held %d MiB at most",
		before, beside, middle(bare).Round(time.Millisecond), slices.Max(bare).Round(time.Millisecond), peak>>20)
	if peak > mostMemory {
		t.Errorf("the controller held %d MiB, more than %d", peak>>20, mostMemory>>20)
	}
	requireSoon(t, "first Pods", beside.pods, max(firstPod, asSlow*middle(before.pods), asSlowAsBare*middle(bare)))
	requireSoon(t, "verdicts", beside.verdicts, max(verdictWithin, asSlow*middle(before.verdicts)))
	greedy.requireOutcomes()
}

// requireSoon: the usual delay is within the limit. A delay of many times the limit is not acceptable on a busy machine either: the API
// server, its clients and the controller share two processors here.
func requireSoon(t *testing.T, what string, of []time.Duration, limit time.Duration) {
	t.Helper()
	if usual := middle(of); usual > limit {
		t.Errorf("half of the %s took %s or more, which is over %s", what, usual, limit)
	}
	if slowest := slices.Max(of); slowest > 10*limit {
		t.Errorf("of the %s, one took %s", what, slowest)
	}
}

// greedyFrameworks are created in one go, without waiting for any. They are as large as an API server on two cores can handle beside
// everything else: with larger ones, the API server delays others, as it would without Frameworks.
func greedyFrameworks(a *author) {
	long := strings.Repeat("l", 63)
	for i := range 5 {
		a.create(fmt.Sprintf("%.60s%d", long, i), `{taskRoles: [{name: `+long+`, taskNumber: 2, task: {pod: {spec: {containers: [
			{name: main, image: none, resources: {limits: {cpu: "1e-2000000000"}}}]}}}}]}`)
	}
	a.create("emptyfew", manyTasks(32, `{spec: {containers: [`+repeat(`{}`, 40_000)+`]}}`))
	a.create("emptymany", manyTasks(32, `{spec: {containers: [`+repeat(`{}`, 150_000)+`]}}`))
	a.create("parameters", `{plugins: [{name: podpattern, parameters: {x: [`+repeat(`0`, 350_000)+`]}}], taskRoles: [{name: a, taskNumber: 150,
		frameworkAttemptCompletionPolicy: {minFailedTaskCount: 0}, task: {pod: `+ending("1")+`}}]}`)
	a.create("refused", `{taskRoles: [{name: a, taskNumber: 50, frameworkAttemptCompletionPolicy: {minFailedTaskCount: 0},
		task: {pod: {spec: {containers: [{name: main, image: none, ports: [`+repeat(`{}`, 1_000)+`]}]}}}}]}`)
	for i := range 4 {
		a.create(fmt.Sprintf("patterns%d", i), patterns(8))
	}
	a.create("storm", `{taskRoles: [{name: a, taskNumber: 100, frameworkAttemptCompletionPolicy: {minFailedTaskCount: 1}, task: {pod: `+ending("1")+`}}]}`)
	for i := range 5 { // their Pods cannot be created, so they exist only in the controller
		a.create(fmt.Sprintf("many%d", i), `{taskRoles: [`+role("a", 10_000, waiting)+`, `+role("b", 10_000, waiting)+`]}`)
	}
	text, _ := json.Marshal(noise(700_000))
	for i := range 6 {
		a.create(fmt.Sprintf("large%d", i), manyTasks(20, `{metadata: {annotations: {text: `+string(text[:200_000])+`"}},
			spec: {serviceAccountName: none, `+container+`}}`))
	}
}

// waiting is a template of a Pod that is refused until its ServiceAccount exists.
const waiting = `{spec: {serviceAccountName: none, ` + container + `}}`

func role(name string, tasks int, template string) string {
	return fmt.Sprintf(`{name: %s, taskNumber: %d, task: {pod: %s}}`, name, tasks, template)
}

func manyTasks(n int, template string) string { return `{taskRoles: [` + role("a", n, template) + `]}` }

func repeat(item string, n int) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }

// patterns is a spec of a Task that fails, with n rules of its own that would take 132 MiB each.
func patterns(n int) string {
	rule := `{code: %d, phrase: P, podPatterns: [{containers: [{messageRegex: "(` + strings.Repeat("a", 3200) + `){1000}"}]}]}`
	var rules []string
	for i := range n {
		rules = append(rules, fmt.Sprintf(rule, 300+i))
	}
	return `{plugins: [{name: podpattern, parameters: {podFailureSpec: [` + strings.Join(rules, ", ") + `]}}],
		taskRoles: [{name: a, taskNumber: 5, task: {retryPolicy: {maxRetryCount: 3}, pod: ` + ending("1,1,1,1") + `}}]}`
}

// noise is text that does not compress.
func noise(n int) string {
	var out bytes.Buffer
	for x := uint64(1); out.Len() < n; x = x*6364136223846793005 + 1442695040888963407 {
		fmt.Fprintf(&out, "%016x", x)
	}
	return out.String()[:n]
}

// editAgainAndAgain gives a Framework of 200 roles other numbers, each of which gets a warning.
func (a *author) editAgainAndAgain(ctx context.Context, name string) {
	var roles []string
	for i := range 200 {
		roles = append(roles, fmt.Sprintf(`{name: r%d, taskNumber: 0, frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 7}, task: {pod: %s}}`, i, lasting))
	}
	a.create(name, `{executionType: Create, taskRoles: [`+strings.Join(roles, ", ")+`]}`)
	for n := 8; ctx.Err() == nil && n < 80; n++ {
		patch := make([]string, 200)
		for i := range patch {
			patch[i] = fmt.Sprintf(`{"op": "replace", "path": "/spec/taskRoles/%d/frameworkAttemptCompletionPolicy/minSucceededTaskCount", "value": %d}`, i, n)
		}
		a.frameworks.Patch(ctx, name, types.JSONPatchType, []byte("["+strings.Join(patch, ",")+"]"), metav1.PatchOptions{})
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// requireOutcomes: failures that can be judged are judged, and impossible specs are reported.
func (a *author) requireOutcomes() {
	a.t.Helper()
	for _, name := range []string{"emptyfew", "emptymany", "refused"} {
		f := a.await(name, "has ended", func(f *v1.Framework) bool { return f.Status.State == v1.Completed })
		if s := task(f).AttemptStatus.CompletionStatus; s == nil || s.Code != -200 {
			a.t.Errorf("of %s, a Task has ended with %v", name, s)
		}
	}
	f := a.await("storm", "has failed", func(f *v1.Framework) bool { return f.Status.State == v1.Completed })
	if s := f.Status.AttemptStatus.CompletionStatus; s == nil || s.Code == 0 {
		a.t.Errorf("the storm has ended with %v", s)
	}
	for _, name := range []string{"many4", "large0"} {
		a.await(name, "waits, or runs", func(f *v1.Framework) bool {
			return f.Status.State != "" || meta.IsStatusConditionTrue(f.Status.Conditions, v1.ConditionWaiting)
		})
	}
}

// peakMemory is the most that the process has ever had resident, in bytes.
func (p *process) peakMemory() int64 {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	require.NoError(p.t, err)
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	p.t.Fatal("the kernel does not tell the peak")
	return 0
}

// delays are the waits of the owners of Frameworks.
type delays struct {
	pods     []time.Duration // from the creation of a Framework until its Pod exists
	verdicts []time.Duration // from the failure of a Pod until its verdict is stored
}

func middle(of []time.Duration) time.Duration { return slices.Sorted(slices.Values(of))[len(of)/2] }

func (d delays) String() string {
	told := func(of []time.Duration) string {
		return fmt.Sprintf("after %s, %s at most", middle(of).Round(time.Millisecond), slices.Max(of).Round(time.Millisecond))
	}
	return fmt.Sprintf("first Pod %s; verdict %s", told(d.pods), told(d.verdicts))
}

// observe creates n Frameworks of one Task that fails, one after the other, and returns the durations of their parts.
func (a *author) observe(name string, n int) delays {
	a.t.Helper()
	o := newObservation(a, name)
	for i := range n {
		f := fmt.Sprintf("%s%d", name, i)
		o.note(o.created, f)
		a.create(f, oneTask(ending("1")))
		time.Sleep(200 * time.Millisecond) // a rate, and not a wait for anything
	}
	eventually(a.t, "all Tasks have been judged", func(ctx context.Context) error {
		if late := o.unjudged(); len(late) > 0 {
			f, err := a.frameworks.Get(ctx, late[0], metav1.GetOptions{})
			return fmt.Errorf("%d of %d are not, such as %s: %w", len(late), n, jsonOf(a.t, f), err)
		}
		return nil
	})
	return o.delays(a.t)
}

// observation is when things were seen, by the name of the Framework.
type observation struct {
	mu                                   sync.Mutex
	created, hasPod, hasFailed, isJudged map[string]time.Time
}

// newObservation follows the Pods and Frameworks of the author whose names begin like that.
func newObservation(a *author, prefix string) *observation {
	o := &observation{created: map[string]time.Time{}, hasPod: map[string]time.Time{}, hasFailed: map[string]time.Time{}, isJudged: map[string]time.Time{}}
	follow(a.t, a.core.CoreV1().RESTClient(), "pods", a.namespace, &corev1.Pod{}, func(object any) {
		pod := object.(*corev1.Pod)
		if name, _, _ := strings.Cut(pod.Name, "-"); strings.HasPrefix(name, prefix) {
			o.note(o.hasPod, name)
			if pod.Status.Phase == corev1.PodFailed {
				o.note(o.hasFailed, name)
			}
		}
	})
	follow(a.t, a.client.FrameworkControllerV1().RESTClient(), v1.FrameworkPlural, a.namespace, &v1.Framework{}, func(object any) {
		f := object.(*v1.Framework)
		if strings.HasPrefix(f.Name, prefix) && judged(f) {
			o.note(o.isJudged, f.Name)
		}
	})
	return o
}

// judged reports whether the verdict on the failure of its Task is stored.
func judged(f *v1.Framework) bool {
	return f.Status != nil && len(f.Status.AttemptStatus.TaskRoleStatuses) > 0 && task(f).AttemptStatus.CompletionStatus != nil
}

// follow calls see with each object of a namespace, and after each change of it, until the test ends.
func follow(t *testing.T, client cache.Getter, resource, namespace string, kind runtime.Object, see func(any)) {
	t.Helper()
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.NewListWatchFromClient(client, resource, namespace, fields.Everything()),
		ObjectType:    kind,
		Handler:       cache.ResourceEventHandlerFuncs{AddFunc: see, UpdateFunc: func(_, now any) { see(now) }},
	})
	go informer.RunWithContext(t.Context())
	if !cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced) {
		t.Fatal("the watch does not begin")
	}
}

// note enters that something was seen, unless it was before.
func (o *observation) note(when map[string]time.Time, name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, seen := when[name]; !seen {
		when[name] = time.Now()
	}
}

func (o *observation) unjudged() (names []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for name := range o.created {
		if _, judged := o.isJudged[name]; !judged {
			names = append(names, name)
		}
	}
	return names
}

func (o *observation) delays(t *testing.T) (d delays) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	for name, at := range o.created {
		d.pods = append(d.pods, o.hasPod[name].Sub(at))
		d.verdicts = append(d.verdicts, o.isJudged[name].Sub(o.hasFailed[name]))
	}
	return d
}
