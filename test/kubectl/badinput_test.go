package kubectl

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd/api"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// Each mistake is answered with its cause and the remedy, and never with a panic.
func TestBadInput(t *testing.T) {
	t.Parallel()
	s := newScene(t, "badinput")
	s.create("train", specOf("", role{name: "ps"}, role{tasks: 2}))
	s.create("damaged", specOf("managedBy: example.com/test", role{}))
	s.create("old", specOf("managedBy: example.com/test", role{}))
	s.until("train", "running", runs)
	s.writeStatus("damaged", damaged())
	s.writeStatus("old", original())
	var text []string
	for _, args := range [][]string{
		{"explain"}, {"explain", "nobody"}, {"explain", "train", "chief"}, {"explain", "train", "worker/2"}, {"explain", "train", "worker/x"},
		{"explain", "train", "worker/0", "ps"}, {"explain", "a/b"}, {"explain", "../../../x"}, {"explain", ""}, {"explain", "TRAIN"}, {"explain", "tr ain"},
		{"explain", "%2e%2e"}, {"explain", "train", ""}, {"explain", "train", "worker-0-0"}, {"explain", "train", "worker/-1"}, {"logs", "train", "chief"}, {"tasks", "train", "nobody"},
		{"tasks", "train", "--state=odd"}, {"tasks", "train", "--sort-by=odd"}, {"tasks", "train", "-o", "odd"}, {"list", "-o", "odd"},
		{"explain", "damaged"}, {"tree", "damaged"}, {"watch", "damaged"}, {"wait", "damaged"}, {"logs", "damaged"}, {"tasks", "damaged"}, {"stop", "damaged", "--yes"}, {"list", "--waiting"},
		{"tree", "old"}, {"tasks", "old"}, {"wait", "old", "--for=running"},
		{"scale", "train"}, {"scale", "train", "chief=1"}, {"scale", "train", "worker"}, {"scale", "train", "worker=-1"},
		{"scale", "train", "worker=99999999999"}, {"stop", "train", "--dry-run=odd"}, {"nonsense"},
	} {
		text = append(text, transcript(t, append(args, "-n", s.namespace)...))
	}
	requireGolden(t, "badinput.txt", strings.Join(text, "\n"))
}

// damaged is a status whose Tasks cannot be read.
func damaged() map[string]any {
	return map[string]any{"startTime": now(), "state": "AttemptRunning",
		"attemptStatus": map[string]any{"id": 0, "taskRoleStatusesCompressed": "bm90aGluZyB0aGF0IGlzIGNvbXByZXNzZWQ="}}
}

// original is a status as the original controller leaves it, without conditions and counts.
func original() map[string]any {
	then := now()
	return map[string]any{"startTime": then, "state": "AttemptRunning", "transitionTime": then,
		"attemptStatus": map[string]any{"id": 0, "startTime": then, "configMapName": "old-attempt", "taskRoleStatuses": []any{
			map[string]any{"name": "worker", "taskStatuses": []any{map[string]any{"index": 0, "state": "AttemptRunning", "startTime": then,
				"transitionTime": then, "attemptStatus": map[string]any{"id": 0, "podName": "old-worker-0", "startTime": then}}}}}}}
}

func now() string {
	return time.Now().UTC().Format(time.RFC3339)
}

// A cluster that does not answer, one without Frameworks, and a user without permission have different messages.
func TestBadClusters(t *testing.T) {
	t.Parallel()
	s := newScene(t, "badclusters")
	nowhere := clustertest.Kubeconfig(t, kube, func(c *api.Config) {
		for name := range c.Clusters {
			c.Clusters[name].Server = "https://127.0.0.1:1"
		}
	})
	text := shown(kubectlAs(t, nowhere, "list"), "list")
	empty := apiServer(t, http.NotFound)
	for _, args := range [][]string{{"list"}, {"explain", "train"}} {
		text += "\n" + shown(kubectlAs(t, empty, args...), args...)
	}
	silent := apiServer(t, func(http.ResponseWriter, *http.Request) { <-t.Context().Done() })
	for _, args := range [][]string{{"list", "--request-timeout=1s"}, {"delete", "train", "--request-timeout=1s"}} {
		text += "\n" + shown(kubectlAs(t, silent, args...), args...)
	}
	nobody := clustertest.KubeconfigOf(t, kube, s.namespace, "default")
	for _, args := range [][]string{{"list", "-n", s.namespace}, {"explain", "train", "-n", s.namespace}} {
		text += "\n" + shown(kubectlAs(t, nobody, args...), args...)
	}
	requireGolden(t, "badclusters.txt", text)
}

// A user who may see Pods but not their logs learns which permission is missing, and how to grant it. Logs of Tasks that have ended are
// gone, which is reported, too.
func TestLogsWithoutPermission(t *testing.T) {
	t.Parallel()
	s := newScene(t, "nologs")
	s.create("train", specOf("", role{}))
	s.create("over", specOf("", role{simulated: atOnce}))
	s.until("train", "running", runs)
	s.until("over", "completed", completed)
	user := s.reader()
	var text []string
	for _, args := range [][]string{{"logs", "train"}, {"logs", "train", "-f"}, {"logs", "over"}, {"logs", "over", "-f"}, {"logs", "train", "chief"}, {"logs", "train", "-f", "--previous"}} {
		args = append(args, "-n", s.namespace)
		text = append(text, shown(kubectlAs(t, user, args...), args...))
	}
	requireGolden(t, "nologs.txt", strings.Join(text, "\n"))
}

// reader is a user who may read Frameworks and Pods, and nothing else.
func (s *scene) reader() (kubeconfig string) {
	s.Helper()
	read := []string{"get", "list", "watch"}
	_, err := core.RbacV1().Roles(s.namespace).Create(s.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "reader"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{v1.GroupName}, Resources: []string{v1.FrameworkPlural}, Verbs: read},
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: read},
	}}, metav1.CreateOptions{})
	require.NoError(s, err)
	_, err = core.RbacV1().RoleBindings(s.namespace).Create(s.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.namespace, Name: "default"}},
	}, metav1.CreateOptions{})
	require.NoError(s, err)
	kubeconfig = clustertest.KubeconfigOf(s.T, kube, s.namespace, "default")
	s.eventually(200*time.Millisecond, func(context.Context) error {
		if a := kubectlAs(s.T, kubeconfig, "list", "-n", s.namespace); a.code != 0 {
			return fmt.Errorf("%s", a.err)
		}
		return nil
	})
	return kubeconfig
}

// apiServer is an API server with that answer: one that does not know the kind, for example.
func apiServer(t *testing.T, answer http.HandlerFunc) (kubeconfig string) {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return clustertest.Kubeconfig(t, kube, func(c *api.Config) {
		for name := range c.Clusters {
			c.Clusters[name] = &api.Cluster{Server: server.URL}
		}
	})
}

// lockedBuffer is written by a process and read by the test at the same time.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
