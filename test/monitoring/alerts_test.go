package monitoring

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd/api"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// configuration has few slots for rounds, a plugin that works, and one that does not exist.
const configuration = `
workerNumber: 3
plugins:
- {name: podpattern, kind: FailureClassifier, command: classifier-podpattern, timeout: 500ms}
- {name: absent, kind: CompletionPolicy, command: no-such-plugin, timeout: 100ms}
`

// Each alert fires in its situation, and each panel of the dashboard shows something then. A minute of the rules is a second here.
func TestAlerts(t *testing.T) {
	need(t)
	groups := readRules(t)
	p := startPrometheus(t, atSpeed(t, groups))
	d := readDashboard(t)
	fired := map[string]bool{}
	fires := func(alerts ...string) {
		t.Helper()
		p.fires(alerts...)
		for _, a := range alerts {
			fired[a] = true
			t.Log("fired:", a)
		}
		d.look(p)
	}

	fires("FrameworkControllerNoLeader")

	one := startController(t)
	p.scrapes(map[string]string{"one": one.Address})
	makeWork(t)
	fires("FrameworkControllerPluginDown", "FrameworkControllerStatusInvalid", "FrameworkControllerFrameworksWaiting", "FrameworkControllerFrameworksUnscheduled")
	p.rests("FrameworkControllerNoLeader")
	stopPlugin(t, one, "classifier-podpattern")
	p.await("the stopped plugin has not answered", func() bool {
		d.look(p)
		return p.series("frameworkcontroller_plugin_faults_total > 0") > 0
	})

	way.fails()
	fires("FrameworkControllerAPIErrors", "FrameworkControllerRoundsFail")
	way.hangs()
	fires("FrameworkControllerQueueStuck")
	way.isSlow(2 * time.Second)
	fires("FrameworkControllerQueueSlow")
	way.ends()
	p.rests("FrameworkControllerQueueSlow")

	two := startController(t)
	p.scrapes(map[string]string{"one": one.Address, "two": two.Address})
	fires("FrameworkControllerTwoLeaders")
	one.Kill()
	two.Kill()

	handOver(t, p, func() bool { return p.stateOf("FrameworkControllerLeaderFlapping") == "firing" })
	fires("FrameworkControllerLeaderFlapping")

	for _, g := range groups {
		for _, r := range g.Rules {
			if !fired[r.Alert] {
				t.Errorf("nothing has made %s fire", r.Alert)
			}
		}
	}
	d.requireAllSeen(t)
}

func startController(t *testing.T, args ...string) *clustertest.Controller {
	t.Helper()
	c := clustertest.StartController(t, kube, launch.Options{
		Binary: binary, Config: configuration, Args: append([]string{"--http-address=127.0.0.1:0"}, args...),
		Env: []string{"KUBECONFIG=" + clustertest.Kubeconfig(t, kube, func(config *api.Config) {
			for _, c := range config.Clusters {
				*c = api.Cluster{Server: server.URL}
			}
			config.AuthInfos = nil // the proxy has the credentials
			for _, c := range config.Contexts {
				c.AuthInfo = ""
			}
		})},
	})
	c.AwaitAddress(patience)
	return c
}

// stopPlugin stops the process of a controller's plugin, so that it no longer answers.
func stopPlugin(t *testing.T, c *clustertest.Controller, name string) {
	t.Helper()
	output, err := exec.Command("ps", "-o", "pid=,args=", "--ppid", fmt.Sprint(c.PID())).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(output)) {
		var pid int
		var program string
		if _, err := fmt.Sscan(line, &pid, &program); err == nil && strings.HasSuffix(program, name) {
			require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
			return
		}
	}
	t.Fatalf("no %s among\n%s", name, output)
}

// handOver has two controllers lead in turn, until it is enough. The lease is given back each time, so it may be a long one, which
// is not lost on a busy machine.
func handOver(t *testing.T, p *prometheus, enough func() bool) {
	t.Helper()
	election := []string{"--leader-elect", "--leader-elect-namespace=default", "--leader-elect-lease-duration=15s", "--leader-elect-renew-deadline=10s", "--leader-elect-retry-period=200ms"}
	names := []string{"one", "two"}
	running := map[string]*clustertest.Controller{}
	start := func(name string) {
		running[name] = startController(t, election...)
		addresses := map[string]string{}
		for n, c := range running {
			addresses[n] = c.Address
		}
		p.scrapes(addresses)
	}
	start("one")
	for turn := 0; !enough(); turn++ {
		leads, next := names[turn%2], names[(turn+1)%2]
		p.await(leads+" leads", func() bool { return p.series(`frameworkcontroller_leader{instance="`+leads+`"} == 1`) == 1 })
		if running[next] == nil || turn > 0 {
			start(next)
		}
		p.await(next+" stands by", func() bool { return p.series(`frameworkcontroller_leader{instance="`+next+`"} == 0`) == 1 })
		_, err := running[leads].Terminate(patience)
		require.NoError(t, err)
	}
}

// makeWork makes Frameworks that are always busy, and some that are not as they should be.
func makeWork(t *testing.T) {
	t.Helper()
	taken := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "nametaken-main-0"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "app"}}}}
	clustertest.Eventually(t, patience, func(ctx context.Context) error { // until the namespace has its ServiceAccount
		_, err := core.CoreV1().Pods("default").Create(ctx, taken, metav1.CreateOptions{})
		return err
	})
	for i := range 20 {
		apply(t, fmt.Sprintf("busy%d", i), `
  taskRoles:
  - name: main
    taskNumber: 1
    task:
      retryPolicy: {maxRetryCount: -1, backoff: {initialDelaySec: 1, maxDelaySec: 1}, avoidNodes: {forSec: 2}}
      pod:
        metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 0s, simulate.frameworkcontroller.io/exit-code: "7"}}
        spec: {restartPolicy: Never, containers: [{name: c, image: app}]}`)
	}
	apply(t, "ended", `
  retryPolicy: {maxRetryCount: 2}
  taskRoles:
  - name: main
    taskNumber: 1
    task:
      pod:
        metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 0s, simulate.frameworkcontroller.io/exit-code: "7"}}
        spec: {restartPolicy: Never, containers: [{name: c, image: app}]}`)
	apply(t, "nametaken", `
  taskRoles:
  - {name: main, taskNumber: 1, task: {pod: {spec: {containers: [{name: c, image: app}]}}}}`)
	apply(t, "noroom", `
  taskRoles:
  - {name: main, taskNumber: 1, task: {pod: {spec: {containers: [{name: c, image: app, resources: {requests: {cpu: 1000}}}]}}}}`)
	apply(t, "toomany", `
  taskRoles:
  - {name: a, taskNumber: 10000, task: {pod: {spec: {containers: [{name: c, image: app}]}}}}
  - {name: b, taskNumber: 10000, task: {pod: {spec: {containers: [{name: c, image: app}]}}}}
  - {name: c, taskNumber: 1, task: {pod: {spec: {containers: [{name: c, image: app}]}}}}`)
}

func apply(t *testing.T, name, spec string) {
	t.Helper()
	f := &unstructured.Unstructured{}
	text := fmt.Sprintf("apiVersion: %s\nkind: Framework\nmetadata: {name: %s}\nspec:%s", v1.SchemeGroupVersion, name, spec)
	require.NoError(t, yaml.Unmarshal([]byte(text), &f.Object))
	clustertest.Eventually(t, patience, func(ctx context.Context) error { // until the controller has created the CRD
		_, err := frameworks.Create(ctx, f, metav1.CreateOptions{})
		return err
	})
}
