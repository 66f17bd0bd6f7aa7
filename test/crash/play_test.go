package crash

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// play is one run of a story.
type play struct {
	t         *testing.T
	story     story
	namespace string
	dir       string
	proxy     *killer
	process   *launch.Process
	did       int // steps
	looked    int // attempts and verdicts that the history has to have
}

var (
	plays      atomic.Int32
	remembered atomic.Int64 // attempts and verdicts in the history, of all plays
)

// perform plays a story to its end, with a crash at a point unless that is nil, and returns the end and the writes.
// Where there is a crash, the end is waited for that is wanted.
func perform(t *testing.T, s story, at *point, want string) (end string, writes []string, crashed bool) {
	t.Helper()
	p := &play{t: t, story: s, namespace: fmt.Sprintf("play-%d", plays.Add(1)), dir: t.TempDir()}
	p.makeNamespace()
	var err error
	if p.proxy, err = startKiller(p.namespace, at); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.proxy.Stop)
	p.create()
	p.startController()
	t.Cleanup(p.close)
	p.proxy.mu.Lock()
	p.proxy.kill = p.process.Kill
	p.proxy.mu.Unlock()
	restarted := false
	var forgotten error
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	reached := clustertest.Poll(ctx, clustertest.Holds("the end", func() bool {
		if !restarted && isClosed(p.proxy.crashed) {
			p.startController()
			restarted = true
		}
		if end == "" || !p.over() {
			p.act()
		}
		over := p.over() // first, or the end would be of a moment before
		end = p.end()
		if !over || end != want && (want != "" || !p.proxy.quiet()) {
			return false
		}
		forgotten = p.remembered(ctx, at != nil)
		return forgotten == nil
	}))
	if reached != nil {
		t.Errorf("after %d of %d steps it has come to\n%swithout a crash it is\n%sthe history: %v\n%s\n%s", p.did, len(s.steps), end, want, forgotten,
			strings.Join(p.proxy.done(), "\n"), p.process.Tail(6000))
	}
	remembered.Add(int64(p.looked))
	return end, p.proxy.done(), isClosed(p.proxy.crashed)
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (p *play) startController() {
	p.t.Helper()
	started, err := startProcess(p.dir, p.proxy.URL, "")
	require.NoError(p.t, err)
	p.process = started
}

// makeNamespace returns when Pods can be created in it.
func (p *play) makeNamespace() {
	p.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.namespace}}
	if _, err := core.CoreV1().Namespaces().Create(p.t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		p.t.Fatal(err)
	}
	clustertest.Eventually(p.t, patience, func(ctx context.Context) error {
		_, err := core.CoreV1().ServiceAccounts(p.namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

func (p *play) create() {
	p.t.Helper()
	f, err := p.story.framework()
	require.NoError(p.t, err)
	if _, err := frameworks.FrameworkControllerV1().Frameworks(p.namespace).Create(p.t.Context(), f, metav1.CreateOptions{}); err != nil {
		p.t.Fatal(err)
	}
}

// get returns the Framework; nil if it has gone, or that is not known.
func (p *play) get() (f *v1.Framework, gone bool) {
	f, err := frameworks.FrameworkControllerV1().Frameworks(p.namespace).Get(context.Background(), "a", metav1.GetOptions{})
	if err != nil {
		return nil, apierrors.IsNotFound(err)
	}
	return f, false
}

// act does the next step if it may be done.
func (p *play) act() {
	p.t.Helper()
	f, _ := p.get()
	if p.did == len(p.story.steps) || f == nil || f.Status == nil || !p.story.steps[p.did].when(f) {
		return
	}
	require.NoError(p.t, p.story.steps[p.did].do(p))
	p.did++
}

func (p *play) over() bool {
	f, gone := p.get()
	if p.did < len(p.story.steps) || p.story.gone {
		return p.did == len(p.story.steps) && gone
	}
	return f != nil && f.Status != nil && f.Status.State == v1.Completed
}

func (p *play) patch(text string) error {
	_, err := frameworks.FrameworkControllerV1().Frameworks(p.namespace).Patch(p.t.Context(), "a", types.JSONPatchType, []byte(text), metav1.PatchOptions{})
	return err
}

func (p *play) delete() error {
	foreground := metav1.DeletePropagationForeground
	return frameworks.FrameworkControllerV1().Frameworks(p.namespace).Delete(p.t.Context(), "a", metav1.DeleteOptions{PropagationPolicy: &foreground})
}

func (p *play) end() string {
	f, _ := p.get()
	made := map[string]int{}
	seen := map[types.UID]bool{}
	for _, s := range recorder.History().Observations {
		switch {
		case s.Pod != nil && s.Pod.Namespace == p.namespace && !seen[s.Pod.UID]:
			seen[s.Pod.UID] = true
			made[madeFor(s.Pod)]++
		case s.ConfigMap != nil && s.ConfigMap.Namespace == p.namespace && s.ConfigMap.Name == v1.ConfigMapName("a") && !seen[s.ConfigMap.UID]:
			seen[s.ConfigMap.UID] = true
			made["ConfigMap of attempt "+s.ConfigMap.Annotations[v1.KeyFrameworkAttemptID]]++
		}
	}
	return endOf(f, made, p.left())
}

// left names the existing Pods and ConfigMaps of the Framework.
func (p *play) left() (out []string) {
	ours := metav1.ListOptions{LabelSelector: v1.KeyFrameworkName + "=a"}
	pods, err := core.CoreV1().Pods(p.namespace).List(context.Background(), ours)
	if err != nil {
		return []string{err.Error()}
	}
	configMaps, err := core.CoreV1().ConfigMaps(p.namespace).List(context.Background(), ours)
	if err != nil {
		return []string{err.Error()}
	}
	for _, o := range pods.Items {
		out = append(out, "Pod "+o.Name)
	}
	for _, o := range configMaps.Items {
		out = append(out, "ConfigMap "+o.Name)
	}
	return out
}

func (p *play) close() {
	p.process.Kill()
	if p.process.EndedByItself() {
		p.t.Errorf("the controller has ended by itself:\n%s", p.process.Tail(6000))
	}
}
