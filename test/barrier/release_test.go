package barrier

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// All barriers wait for the last address with one watch each, then all end and have left the same files behind.
func TestRelease(t *testing.T) {
	t.Parallel()
	w := shared
	w.create(t, framework("release", 3, 2))
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	pods := w.pods(t, "release", 5, anyPod)
	var barriers []*process
	for _, p := range pods {
		barriers = append(barriers, w.run(t, environment(p, kubeconfig, nil)))
	}
	eventually(t, func(context.Context) error {
		if got := w.requests(t, "release"); got["watch"] != 5 {
			return fmt.Errorf("there are %d watches", got["watch"])
		}
		return nil
	})
	w.pods(t, "release", 3, hasAddress)
	w.letGo(t, "release-worker-0")
	w.pods(t, "release", 4, hasAddress)
	for _, b := range barriers {
		b.requireWaiting()
	}
	w.letGo(t, "release-worker-1")
	w.pods(t, "release", 5, hasAddress)
	start := time.Now()
	for _, b := range barriers {
		b.requireExit(0)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("released after %s", took)
	}
	w.requireRequests(t, "release", map[string]int{"list": 5, "watch": 5})

	ips := map[string]string{}
	for _, p := range w.pods(t, "release", 5, hasAddress) {
		ips[p.Name] = p.Status.PodIP
	}
	for _, b := range barriers {
		requireFiles(t, b, ips)
	}
}

func requireFiles(t *testing.T, b *process, ips map[string]string) {
	t.Helper()
	show := `FB_PORT=80 FB_WORKER_PORT=5001 . ./injector.sh >/dev/null
		echo "$FB_SERVER_IPS $FB_SERVER_ADDRESSES $FB_WORKER_IPS $FB_WORKER_ADDRESSES"`
	cmd := exec.Command("sh", "-euc", show)
	cmd.Dir = b.dir
	got, err := cmd.CombinedOutput()
	s := func(i int) string { return ips[fmt.Sprintf("release-server-%d", i)] }
	w := func(i int) string { return ips[fmt.Sprintf("release-worker-%d", i)] }
	want := fmt.Sprintf("%[1]s,%[2]s,%[3]s %[1]s:80,%[2]s:80,%[3]s:80 %[4]s,%[5]s %[4]s:5001,%[5]s:5001\n",
		s(0), s(1), s(2), w(0), w(1))
	if err != nil || string(got) != want {
		t.Errorf("injector.sh gives %s(%v), want %s", got, err, want)
	}
	var whole v1.Framework
	err = json.Unmarshal([]byte(b.read("framework.json")), &whole)
	if err != nil || whole.Status.Gate == "" || len(whole.Spec.TaskRoles) != 2 {
		t.Errorf("framework.json has %+v (%v)", whole, err)
	}
	for name, lines := range map[string]int{"hosts": 5, "hostfile": 5, "peers.json": 1} {
		if text := b.read(name); strings.Count(text, "\n") != lines || !strings.Contains(text, w(1)) {
			t.Errorf("%s is %s", name, text)
		}
	}
}

// A barrier that starts when the gate is open passes at once. So does one whose Pod does not name its attempt.
func TestOpenAlready(t *testing.T) {
	t.Parallel()
	w := shared
	w.create(t, framework("open", 2, 0))
	w.awaitGate(t, "open")
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	pods := w.pods(t, "open", 2, anyPod)
	b := w.run(t, environment(pods[0], kubeconfig, nil))
	b.requireExit(0)
	w.requireRequests(t, "open", map[string]int{"list": 1, "watch": 1})
	w.run(t, about("open", map[string]string{"KUBECONFIG": kubeconfig})).requireExit(0)
	w.requireRequests(t, "open", map[string]int{"list": 2, "watch": 1, "get": 1})
}

// A barrier that waits for a Framework that is not its own waits for any gate of it.
func TestAnotherFramework(t *testing.T) {
	t.Parallel()
	w := shared
	w.create(t, framework("own", 1, 0))
	w.create(t, framework("another", 1, 1))
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	own := w.pods(t, "own", 1, hasAddress)[0]
	w.pods(t, "another", 1, isWorker)
	b := w.run(t, environment(own, kubeconfig, map[string]string{"FC_FRAMEWORK_NAME": "another"}))
	eventually(t, func(context.Context) error {
		if w.requests(t, "another")["watch"] != 1 {
			return fmt.Errorf("there is no watch")
		}
		return nil
	})
	w.letGo(t, "another-worker-0")
	b.requireExit(0)
	w.requireRequests(t, "another", map[string]int{"list": 1, "get": 1, "watch": 1})
}

func (w *world) awaitGate(t *testing.T, name string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		f, err := w.frameworks.FrameworkControllerV1().Frameworks(namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && (f.Status == nil || f.Status.Gate == "") {
			err = fmt.Errorf("the gate of %s is closed", name)
		}
		return err
	})
}

// A compressed status, as the controller stores it for large Frameworks, is passed on uncompressed.
func TestCompressed(t *testing.T) {
	t.Parallel()
	w := shared
	const tasks = 1300
	w.create(t, framework("large", tasks, 1))
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	b := w.run(t, environment(w.pods(t, "large", 1, isWorker)[0], kubeconfig, nil))
	w.pods(t, "large", tasks, hasAddress)
	b.requireWaiting()
	w.letGo(t, "large-worker-0")
	b.requireExit(0)
	w.requireRequests(t, "large", map[string]int{"list": 1, "watch": 1})
	f, err := w.frameworks.FrameworkControllerV1().Frameworks(namespace).Get(t.Context(), "large", metav1.GetOptions{})
	if err != nil || len(f.Status.AttemptStatus.TaskRoleStatusesCompressed) == 0 {
		t.Errorf("the status is not compressed (%v)", err)
	}
	var whole v1.Framework
	require.NoError(t, json.Unmarshal([]byte(b.read("framework.json")), &whole))
	a := whole.Status.AttemptStatus
	if len(a.TaskRoleStatusesCompressed) > 0 || len(a.TaskRoleStatuses[0].TaskStatuses) != tasks {
		t.Errorf("framework.json has %d bytes of compressed status", len(a.TaskRoleStatusesCompressed))
	}
}
