package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// past are the Frameworks of a controller: a job that is retried twice and then fails for good, one whose Tasks are retried, one that
// succeeds at once, and one that keeps running. A message has markup and script in it.
const past = `
apiVersion: frameworkcontroller.microsoft.com/v1
kind: Framework
metadata: {name: train, namespace: default, labels: {team: vision, user: ann}}
spec:
  retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 2}
  taskRoles:
  - name: leader
    taskNumber: 1
    task: {pod: {metadata: {annotations: {simulate.frameworkcontroller.io/terminate-after: 300ms}}, spec: &spec {restartPolicy: Never, containers: [{name: main, image: 'train:2026.3', resources: {requests: {cpu: 100m, memory: 64Mi}}}]}}}
  - name: worker
    taskNumber: 6
    task: {pod: {metadata: {annotations: {simulate.frameworkcontroller.io/terminate-after: 300ms}}, spec: *spec}}
  - name: reader
    taskNumber: 1
    frameworkAttemptCompletionPolicy: {minFailedTaskCount: 1}
    task:
      pod:
        metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 3s, simulate.frameworkcontroller.io/exit-code: '1', simulate.frameworkcontroller.io/message: "<img src=x onerror='ran()'> \u202E \u001b[31mtxt.exe"}}
        spec: *spec
---
apiVersion: frameworkcontroller.microsoft.com/v1
kind: Framework
metadata: {name: preprocess, namespace: default, labels: {team: speech, user: bob}}
spec:
  taskRoles:
  - name: shard
    taskNumber: 8
    frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 8}
    task:
      retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 2}
      pod: {metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 2s, simulate.frameworkcontroller.io/exit-codes: '200,0'}}, spec: *spec}
---
apiVersion: frameworkcontroller.microsoft.com/v1
kind: Framework
metadata: {name: evaluate, namespace: default, labels: {team: vision, user: eve}}
spec:
  taskRoles:
  - name: worker
    taskNumber: 2
    frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 2}
    task: {pod: {metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 2s}}, spec: *spec}}
---
apiVersion: frameworkcontroller.microsoft.com/v1
kind: Framework
metadata: {name: serve, namespace: default, labels: {team: speech, user: bob}}
spec:
  taskRoles:
  - name: server
    taskNumber: 2
    task: {pod: {spec: *spec}}
`

// The numbers of nodes and Frameworks of a sweep, and the node that breaks Pods.
const (
	sweepNodes = 12
	badNodeOf  = 7
	sweepSize  = 200
)

// sweep runs many small Frameworks in a namespace of their own, each on one node. The bad node breaks most Pods that it gets, and few Tasks elsewhere
// fail once by themselves. In the middle, interrupt is called.
func sweep(t *testing.T, interrupt func()) {
	t.Helper()
	core, err := kubernetes.NewForConfig(kube.Config)
	require.NoError(t, err)
	_, err = core.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "sweep"}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}
	bad := &badNode{core: core, name: fmt.Sprint("node-", badNodeOf), namespace: "sweep", share: .6}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var faults sync.WaitGroup
	faults.Go(func() { bad.work(ctx) })
	t.Cleanup(func() {
		stop()
		faults.Wait()
		t.Logf("the bad node has broken %d Pods", bad.broken.Load())
	})
	chance := rand.New(rand.NewPCG(1, 2))
	for i := range sweepSize {
		node, codes := i%sweepNodes, "0"
		if node != badNodeOf && chance.IntN(20) == 0 {
			codes = []string{"1,0", "137,0", "210,0"}[chance.IntN(3)]
		}
		team := []string{"vision", "speech", "search"}[i%3]
		text := fmt.Sprintf(`
metadata: {name: run%03d, namespace: sweep, labels: {team: %s, user: %s}}
spec:
  taskRoles:
  - name: worker
    taskNumber: 1
    frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 1}
    task:
      retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 9}
      pod:
        metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 2s, simulate.frameworkcontroller.io/exit-codes: %q}}
        spec: {restartPolicy: Never, nodeSelector: {kubernetes.io/hostname: node-%d}, containers: [{name: main, image: 'sweep:%d', resources: {requests: {cpu: 10m, memory: 64Mi}}}]}
`, i, team, []string{"ann", "bob"}[i%2], codes, node, i%4)
		apply(t, text)
		if i == sweepSize/2 {
			interrupt()
		}
	}
}

// awaitSweep waits until the history has the end of each Framework of the sweep.
func awaitSweep(t *testing.T, url string) {
	t.Helper()
	clustertest.Eventually(t, 2*patience, func(ctx context.Context) error {
		var page historyapi.Page[historyapi.Framework]
		if err := read(ctx, url+"/api/v1/frameworks?namespace=sweep&state=Completed&limit=1000", &page); err != nil {
			return err
		}
		if len(page.Items) < sweepSize {
			return fmt.Errorf("%d Frameworks of the sweep are in the history", len(page.Items))
		}
		return nil
	})
}

// lived runs past and a sweep, and returns the address of the server that has its history.
func lived(t *testing.T) string {
	t.Helper()
	url, dir := serveHistory(t), t.TempDir()
	t.Cleanup(func() { // so that the story can run again in the same cluster
		for _, namespace := range []string{"default", "sweep"} {
			_ = frameworks.FrameworkControllerV1().Frameworks(namespace).DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{})
		}
	})
	start := func() *launch.Process {
		p, err := launch.Controller(kube, launch.Options{Binary: controller, Dir: filepath.Join(dir, "controller"), Config: `
plugins:
- {name: history, kind: HistorySink, command: history-remote, parameters: {url: "` + url + `", spoolDirectory: "` + filepath.Join(dir, "spool") + `"}}
`})
		require.NoError(t, err)
		return p
	}
	leader := start()
	t.Cleanup(func() {
		leader.Kill()
		if t.Failed() {
			t.Logf("the controller's log:\n%s", leader.Tail(6000))
		}
	})
	for text := range strings.SplitSeq(strings.NewReplacer("&spec "+spec, spec, "*spec", spec).Replace(past), "---\n") {
		apply(t, text)
	}
	for _, name := range []string{"train", "preprocess", "evaluate"} {
		awaitState(t, url, name, "Completed")
	}
	began := time.Now()
	sweep(t, func() { // after the others, so that their times are as usual
		leader.Kill()
		leader = start()
	})
	awaitSweep(t, url)
	t.Logf("%d Frameworks in %s", sweepSize, time.Since(began).Round(time.Second))
	clustertest.Eventually(t, patience, func(ctx context.Context) error { // no record shows it
		f, err := frameworks.FrameworkControllerV1().Frameworks("default").Get(ctx, "serve", metav1.GetOptions{})
		if err == nil && (f.Status == nil || f.Status.State != v1.AttemptRunning) {
			err = fmt.Errorf("it has the status %+v", f.Status)
		}
		return err
	})
	return url
}

// spec is the spec of the Pods of past.
const spec = `{restartPolicy: Never, containers: [{name: main, image: 'train:2026.3', resources: {requests: {cpu: 100m, memory: 64Mi}}}]}`

// documentOf returns a Framework of past.
func documentOf(name string) string {
	for text := range strings.SplitSeq(past, "---\n") {
		if strings.Contains(text, "name: "+name+",") {
			return text
		}
	}
	return ""
}

func apply(t *testing.T, text string) {
	t.Helper()
	var f v1.Framework
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &f))
	clustertest.Eventually(t, patience, func(ctx context.Context) error {
		_, err := frameworks.FrameworkControllerV1().Frameworks(f.Namespace).Create(ctx, &f, metav1.CreateOptions{})
		return err
	})
}

func awaitServer(t *testing.T, url string) {
	t.Helper()
	clustertest.Eventually(t, patience, func(ctx context.Context) error { return read(ctx, url+"/api/v1/frameworks", &struct{}{}) })
}

func awaitState(t *testing.T, url, name, state string) {
	t.Helper()
	clustertest.Eventually(t, patience, func(ctx context.Context) error {
		var detail historyapi.FrameworkDetail
		if err := read(ctx, url+"/api/v1/frameworks/default/"+name, &detail); err != nil {
			return err
		}
		if detail.Framework.State != state {
			return fmt.Errorf("it is %q", detail.Framework.State)
		}
		return nil
	})
}

func read(ctx context.Context, url string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// Each view shows the values of the API, can be used by keyboard alone, has no serious finding of axe, contacts no other host, and looks as
// before. The command opens the page for one browser, with the running Frameworks.
func TestPage(t *testing.T) {
	needBrowser(t)
	url := lived(t)
	t.Run("views", func(t *testing.T) { drive(t, "views", map[string]any{"url": url}) })
	t.Run("operator", func(t *testing.T) {
		drive(t, "operator", map[string]any{"url": url, "bad": fmt.Sprint("node-", badNodeOf), "frameworks": sweepSize})
	})
	t.Run("states", func(t *testing.T) { drive(t, "states", map[string]any{"url": url}) })
	t.Run("updates", func(t *testing.T) {
		apply(t, strings.NewReplacer("name: evaluate", "name: late", "run-for: 2s", "run-for: 10s", "*spec", spec).Replace(documentOf("evaluate")))
		clustertest.Eventually(t, patience, func(ctx context.Context) error { return read(ctx, url+"/api/v1/frameworks/default/late", &struct{}{}) })
		drive(t, "updates", map[string]any{"url": url, "name": "late"})
	})
	t.Run("command", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cmd := kube.Command(ctx, kubectl, "ui", "train", "--no-open", "--history-url", url)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		defer stop(cmd, cancel)
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		drive(t, "command", map[string]any{"url": strings.TrimSpace(line), "server": url})
	})
}

func stop(cmd *exec.Cmd, cancel func()) {
	cancel()
	_ = cmd.Wait() // it was killed
}

// Names, phrases, labels and nodes of records may be anything: no script in them runs, and invisible characters are named.
func TestHostileRecords(t *testing.T) {
	needBrowser(t)
	url := serveHistory(t)
	odd := "<script>ran()</script>\u202e\u0007'\"><img src=x onerror=ran()>"
	j := &Job{Namespace: "default", Name: "odd" + odd, Labels: map[string]string{"team": odd, "link": "javascript:ran()"}, Tasks: 3, Attempts: 2, Failing: 1,
		Node: func(int) string { return odd }, Began: time.Now().Add(-time.Hour), Running: time.Minute,
		Cause: func(int) *pluginpb.Completion { return Failure(7, odd, "", odd+strings.Repeat("word", 1<<16)) }}
	require.NoError(t, j.Send(t.Context(), url))
	drive(t, "hostile", map[string]any{"url": url, "namespace": j.Namespace, "name": j.Name, "node": odd})
}

// The log of an attempt has its colors, and no script in it runs; a search finds lines, and each line has an address.
func TestLog(t *testing.T) {
	needBrowser(t)
	url := serveHistory(t, func(s *store.Store) {
		kept := logs.NewKept(logs.Limits{Head: 1 << 20, Tail: 1 << 20}, nil)
		begun := time.Now().Add(-time.Hour)
		for i := range 5000 {
			text := fmt.Sprintf("step %d", i)
			switch i {
			case 4000:
				text = "\x1b[1;31mLoss is NaN\x1b[0m <img src=x onerror=ran()> \u202e \xff"
			case 4001:
				text = strings.Repeat("x", 1<<18)
			case 4002:
				text = "\x1b]8;;javascript:ran()\x1b\\click\x1b]8;;\x1b\\"
			}
			require.NoError(t, kept.Add(logs.Line{Time: begun.Add(time.Duration(i) * time.Millisecond).UnixNano(), Text: []byte(text + "\n")}))
		}
		f := &pluginpb.Framework{Namespace: "default", Name: "train", Uid: "uid-default-train"}
		require.NoError(t, s.SaveLog(t.Context(), store.NewLog{LogKey: store.LogKey{Cluster: "default", PodUID: "uid-default-train-0-worker-1", Container: "main"},
			Role: "worker", Index: 1, Framework: f, Pod: "train-worker-1", State: historyapi.LogComplete, Parts: kept.Parts(nil), Time: begun}))
	})
	j := &Job{Namespace: "default", Name: "train", Tasks: 3, Attempts: 1, Failing: 2, Node: func(int) string { return "node-1" }, Began: time.Now().Add(-time.Hour), Running: time.Minute,
		Cause: func(int) *pluginpb.Completion { return Failure(1, "Odd", "", "") }}
	require.NoError(t, j.Send(t.Context(), url))
	drive(t, "log", map[string]any{"url": url})
}

// A Framework of 10,000 Tasks with 50 attempts opens, scrolls and zooms.
func TestLarge(t *testing.T) {
	needBrowser(t)
	if testing.Short() {
		t.Skip("500,000 records take a minute")
	}
	url := serveHistory(t)
	j := &Job{Namespace: "default", Name: "large", Tasks: 10_000, Attempts: 50, Failing: 77, Node: func(task int) string { return fmt.Sprintf("node-%03d", task%800) },
		Cause: func(attempt int) *pluginpb.Completion {
			if attempt == 49 {
				return nil
			}
			return Failure(139, "SegmentationFault", "Transient", "signal 11")
		}, Began: time.Now().Add(-60 * time.Hour), Running: 40 * time.Minute}
	require.NoError(t, j.Send(t.Context(), url))
	drive(t, "large", map[string]any{"url": url})
}
