package history

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// crowd has Tasks each of which fails once, and then succeeds.
const crowd = `
apiVersion: frameworkcontroller.microsoft.com/v1
kind: Framework
metadata: {name: NAME, namespace: default, labels: {team: vision}}
spec:
  taskRoles:
  - name: worker
    taskNumber: 12
    frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 12}
    task:
      retryPolicy: {maxRetryCount: 2}
      pod:
        metadata:
          annotations: {simulate.frameworkcontroller.io/run-for: 3s, simulate.frameworkcontroller.io/exit-codes: '7,0'}
        spec:
          restartPolicy: Never
          containers: [{name: main, image: app, env: [{name: PASSWORD, value: hunter2}], resources: {requests: {cpu: 100m}}}]
`

// Controller, sink and server are killed while a Framework lives. After the Framework, its Pods and the controller are gone, the history
// has each attempt exactly once, and commands show it.
func TestNothingIsForgotten(t *testing.T) {
	s := newSite(t)
	compare := s.record()
	s.apply(strings.ReplaceAll(crowd, "NAME", s.framework))
	for _, kill := range []func(){s.replaceController, s.replaceServer, s.replaceController, s.replaceController} {
		time.Sleep(time.Second)
		kill()
	}
	s.awaitController() // so that the controller sees the deletion
	f := s.await(s.framework, func(f *v1.Framework) bool { return f.Status != nil && f.Status.State == v1.Completed })
	require.Equal(t, v1.CompletionSucceeded, f.Status.AttemptStatus.CompletionStatus.Type.Name)
	s.awaitRecord(string(f.UID), "Completed")
	require.NoError(t, frameworks.FrameworkControllerV1().Frameworks("default").Delete(t.Context(), s.framework, metav1.DeleteOptions{}))
	s.awaitRecord(string(f.UID), "Deleted")
	s.leader.Kill()

	s.requireAttempts(map[string]int{"7 retried": 12, "0 last": 12})
	detail := get[historyapi.FrameworkDetail](s, "/api/v1/frameworks/default/"+s.framework)
	require.Len(t, detail.Attempts, 1)
	require.Equal(t, "vision", detail.Framework.Labels["team"])
	require.EqualValues(t, 12, detail.Attempts[0].Tasks)
	compare()
	s.requireQuestions()
	s.requireObjects()
	s.requireSimulation()

	require.Regexp(t, s.framework+` +Deleted +Succeeded +1 +12 `, s.kubectl("history"))
	require.Contains(t, s.kubectl("history", s.framework), "worker")
	require.Regexp(t, `(?m)^default `, s.kubectl("report", "-A"))
	task := s.kubectl("history", s.framework, "worker/3")
	require.Contains(t, task, "main")
	require.Contains(t, task, "7 ContainerUnrecognizedFailed")
	require.Contains(t, s.kubectl("history", s.framework, "--attempt", "0"), "worker-11")
}

// A Framework that is deleted while no controller runs is deleted in the history once the next one leads, and its neighbor is not.
func TestDeletionWhileNoControllerRuns(t *testing.T) {
	s := newSite(t)
	all := frameworks.FrameworkControllerV1().Frameworks("default")
	neighbor := s.framework + "neighbor"
	for _, name := range []string{neighbor, s.framework} {
		s.apply(strings.ReplaceAll(crowd, "NAME", name))
	}
	var f *v1.Framework
	for _, name := range []string{neighbor, s.framework} {
		f = s.await(name, func(f *v1.Framework) bool { return f.Status != nil })
		clustertest.Eventually(t, patience, func(ctx context.Context) error { return s.shows(ctx, name, string(f.UID), "AttemptCreationPending") })
	}
	s.leader.Kill()
	require.NoError(t, all.Delete(t.Context(), s.framework, metav1.DeleteOptions{}))
	s.startController()
	s.awaitRecord(string(f.UID), historyapi.StateDeleted)
	require.NotNil(t, get[historyapi.FrameworkDetail](s, "/api/v1/frameworks/default/"+s.framework).Framework.DeletedBefore)
	require.Contains(t, s.kubectl("history", s.framework), "while no controller ran")
	require.NotEqual(t, historyapi.StateDeleted, get[historyapi.FrameworkDetail](s, "/api/v1/frameworks/default/"+neighbor).Framework.State)
	require.NoError(t, all.Delete(t.Context(), neighbor, metav1.DeleteOptions{}))
}

// While the server is away, retries continue: the sink keeps the records on its disk, and sends them later.
func TestServerIsAway(t *testing.T) {
	s := newSite(t)
	s.server.Kill()
	s.apply(strings.ReplaceAll(crowd, "NAME", s.framework))
	f := s.await(s.framework, func(f *v1.Framework) bool { return f.Status != nil && f.Status.State == v1.Completed })
	s.startServer()
	s.awaitRecord(string(f.UID), "Completed")
	s.requireAttempts(map[string]int{"7 retried": 12, "0 last": 12})
	require.NoError(t, frameworks.FrameworkControllerV1().Frameworks("default").Delete(t.Context(), s.framework, metav1.DeleteOptions{}))
}

// awaitController waits until the controller knows the Frameworks.
func (s *site) awaitController() {
	s.t.Helper()
	clustertest.Eventually(s.t, patience, clustertest.Holds("the caches are filled", func() bool {
		return strings.Contains(s.leader.Text(), "caches filled")
	}))
}

func (s *site) replaceController() {
	s.leader.Kill()
	s.startController()
}

func (s *site) replaceServer() {
	s.server.Kill()
	time.Sleep(time.Second)
	s.startServer()
}

// apply creates a Framework as soon as the API server knows the type.
func (s *site) apply(text string) {
	s.t.Helper()
	var f v1.Framework
	require.NoError(s.t, yaml.UnmarshalStrict([]byte(text), &f))
	clustertest.Eventually(s.t, patience, func(ctx context.Context) error {
		_, err := frameworks.FrameworkControllerV1().Frameworks(f.Namespace).Create(ctx, &f, metav1.CreateOptions{})
		return err
	})
}

func (s *site) await(name string, is func(*v1.Framework) bool) (f *v1.Framework) {
	s.t.Helper()
	clustertest.Eventually(s.t, patience, func(ctx context.Context) (err error) {
		if f, err = frameworks.FrameworkControllerV1().Frameworks("default").Get(ctx, name, metav1.GetOptions{}); err == nil && !is(f) {
			err = fmt.Errorf("it has the status %+v", f.Status)
		}
		return err
	})
	return f
}

// awaitRecord waits until the server has the Framework in that state.
func (s *site) awaitRecord(uid, state string) {
	s.t.Helper()
	clustertest.Eventually(s.t, patience, func(ctx context.Context) error { return s.shows(ctx, s.framework, uid, state) })
}

// shows returns an error if the server does not have the Framework in that state.
func (s *site) shows(ctx context.Context, name, uid, state string) error {
	s.t.Helper()
	client, err := historyclient.Connect(ctx, &rest.Config{}, historyclient.Options{URL: s.url()})
	require.NoError(s.t, err)
	defer client.Close()
	detail, err := client.Framework(ctx, "default", name, uid)
	if err == nil && detail.Framework.State != state {
		err = fmt.Errorf("it is %q", detail.Framework.State)
	}
	return err
}

// requireAttempts counts the attempts of the crowd by how they ended, and requires that there is no other and no duplicate.
func (s *site) requireAttempts(want map[string]int) {
	s.t.Helper()
	got, seen := map[string]int{}, map[string]bool{}
	for next := ""; ; {
		page := get[historyapi.Page[historyapi.TaskAttempt]](s, "/api/v1/frameworks/default/"+s.framework+"/tasks?limit=5&continue="+next)
		for _, a := range page.Items {
			what := fmt.Sprintf("%d %s-%d %s attempt %d", a.FrameworkAttempt, a.Role, a.Index, a.TaskUID, a.Attempt)
			require.False(s.t, seen[what], "%s is there twice", what)
			seen[what] = true
			follows := " last"
			if a.Retry.Follows {
				follows = " retried"
			}
			got[fmt.Sprint(a.Completion.Code)+follows]++
		}
		if next = page.Next; next == "" {
			break
		}
	}
	require.Equal(s.t, want, got)
}

func get[T any](s *site, path string) (out T) {
	s.t.Helper()
	answer, err := http.Get(s.url() + path)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	require.Equal(s.t, http.StatusOK, answer.StatusCode)
	require.NoError(s.t, json.NewDecoder(answer.Body).Decode(&out))
	return out
}

// kubectl returns the output of a command.
func (s *site) kubectl(args ...string) string {
	s.t.Helper()
	out, err := kube.Command(s.t.Context(), kubectl, append(args, "--history-url", s.url())...).CombinedOutput()
	require.NoError(s.t, err, "%s", out)
	s.t.Logf("$ kubectl framework %v\n%s", args, out)
	return string(out)
}
