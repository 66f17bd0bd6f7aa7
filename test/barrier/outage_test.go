package barrier

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// An API server that is killed and restarted while barriers wait costs them only time.
func TestAPIServerIsKilled(t *testing.T) {
	t.Parallel()
	w := ownWorld(t)
	stop, err := w.startController()
	require.NoError(t, err)
	defer stop()
	w.create(t, framework("outage", 1, 1))
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	pod := w.pods(t, "outage", 1, isWorker)[0]
	var barriers []*process
	for range 5 {
		barriers = append(barriers, w.run(t, environment(pod, kubeconfig, nil)))
	}
	w.awaitWatches(t, "outage", 5)
	// Everything else is done before: only the worker's address is missing.
	w.pods(t, "outage", 2, isScheduled)
	w.pods(t, "outage", 1, hasAddress)
	restart, err := w.Kill("kube-apiserver")
	require.NoError(t, err)
	for _, b := range barriers {
		b.awaitLog("retrying")
	}
	require.NoError(t, restart())
	w.awaitWatchesWithin(t, patienceAfterOutage, "outage", 10)
	for _, b := range barriers {
		b.requireWaiting()
	}
	w.letGo(t, pod.Name)
	for _, b := range barriers {
		b.requireExitWithin(patienceAfterOutage, 0)
	}
	if n := w.requests(t, "outage")["get"]; n > 0 {
		t.Errorf("the whole Framework was read %d times besides", n)
	}
}

func ownWorld(t *testing.T) *world {
	t.Helper()
	w, err := newWorld(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(w.LogTails())
		}
		w.Stop()
	})
	return w
}

// Under the original's CRD there is no gate to select on. The test writes the status that the original would write.
func TestUnderTheOriginal(t *testing.T) {
	t.Parallel()
	w := ownWorld(t)
	client, err := dynamic.NewForConfig(w.Config)
	require.NoError(t, err)
	installOriginalCRD(t, client)
	raw := client.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)).Namespace(namespace)
	object := recordedFramework(t)
	worker := func(ip any) { setAddress(t, object, ip) }
	worker(nil)
	object, err = raw.Create(t.Context(), object, metav1.CreateOptions{})
	require.NoError(t, err)
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	b := w.run(t, about(object.GetName(), map[string]string{
		"KUBECONFIG":                        kubeconfig,
		"FC_FRAMEWORK_UID":                  string(object.GetUID()),
		"FC_FRAMEWORK_ATTEMPT_INSTANCE_UID": "0_any",
		"BARRIER_CHECK_INTERVAL_SEC":        "5",
	}))
	b.awaitLog("polling")
	b.awaitLog("field label not supported")
	worker("10.9.9.9")
	if _, err := raw.Update(t.Context(), object, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	b.requireExit(0)
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("released after %s, with an interval of 5 s", took)
	}
}

// setAddress sets the address of the first worker.
func setAddress(t *testing.T, object *unstructured.Unstructured, ip any) {
	t.Helper()
	roles, _, _ := unstructured.NestedSlice(object.Object, "status", "attemptStatus", "taskRoleStatuses")
	for _, role := range roles {
		if role := role.(map[string]any); role["name"] == "worker" {
			role["taskStatuses"].([]any)[0].(map[string]any)["attemptStatus"].(map[string]any)["podIP"] = ip
		}
	}
	require.NoError(t, unstructured.SetNestedSlice(object.Object, roles, "status", "attemptStatus", "taskRoleStatuses"))
}

func recordedFramework(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile("../../pkg/apis/frameworkcontroller/v1/testdata/recorded/framework-running.json")
	require.NoError(t, err)
	out := &unstructured.Unstructured{}
	require.NoError(t, runtime.DecodeInto(unstructured.UnstructuredJSONScheme, text, out))
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
		unstructured.RemoveNestedField(out.Object, "metadata", field)
	}
	out.SetNamespace(namespace)
	return out
}

func installOriginalCRD(t *testing.T, client dynamic.Interface) {
	t.Helper()
	text, err := os.ReadFile("../api/testdata/original-crd.yaml")
	require.NoError(t, err)
	object := map[string]any{}
	require.NoError(t, yaml.Unmarshal(text, &object))
	crds := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if _, err := client.Resource(crds).Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		_, err := client.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)).List(ctx, metav1.ListOptions{})
		return err
	})
}
