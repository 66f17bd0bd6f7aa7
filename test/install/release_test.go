package install

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// release is a release of the chart.
type release struct{ name, namespace string }

func (r release) install(t *testing.T, args ...string) (string, error) {
	t.Helper()
	t.Cleanup(func() { r.uninstall(context.Background()) })
	return runHelm(t.Context(), append([]string{"install", r.name, chart, "--namespace", r.namespace, "--create-namespace",
		"--wait", "--timeout", patience.String()}, args...)...)
}

func (r release) upgrade(t *testing.T, args ...string) string {
	t.Helper()
	return mustHelm(t, append([]string{"upgrade", r.name, chart, "--namespace", r.namespace, "--wait", "--timeout", patience.String()}, args...)...)
}

func (r release) uninstall(ctx context.Context) error {
	_, err := runHelm(ctx, "uninstall", r.name, "--namespace", r.namespace, "--wait", "--timeout", patience.String())
	return err
}

func (r release) deployment(t *testing.T) *appsv1.Deployment {
	t.Helper()
	d, err := core.AppsV1().Deployments(r.namespace).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return d
}

// start runs this checkout's controller as the ServiceAccount of the release: simulated nodes run no containers. Stop gives the lease back.
func (r release) start(t *testing.T) (stop func()) {
	t.Helper()
	c := clustertest.StartController(t, kube, launch.Options{
		Binary: binary, Config: "crdEstablishedCheckTimeoutSec: 30\n",
		Args: []string{"--leader-elect", "--leader-elect-namespace=" + r.namespace},
		Env:  []string{"KUBECONFIG=" + clustertest.KubeconfigOf(t, kube, r.namespace, name)},
	})
	return func() {
		t.Helper()
		_, err := c.Terminate(patience)
		require.NoError(t, err)
	}
}

// From the first installation to the second one: an upgrade changes the configuration, a second release is refused, and an uninstall leaves
// Frameworks and their Pods unchanged, with which a later release continues, whatever its name is.
func TestLifeOfARelease(t *testing.T) {
	first := release{name, name}
	out, err := first.install(t)
	require.NoError(t, err)
	require.Contains(t, out, "rollout status deployment/"+name)
	stop := first.start(t)
	createLasting(t, "lasting")
	pod := awaitPod(t, "lasting-worker-0")

	t.Run("upgrade", func(t *testing.T) {
		before := first.deployment(t).Spec.Template
		out := first.upgrade(t, "--set", "replicaCount=3", "--set", "config.frameworkCompletedRetainSec=60",
			"--set", "plugins[0].name=volcano,plugins[0].kind=SchedulerHints,plugins[0].command=hints-volcano")
		require.Contains(t, out, "rbac: {hints: {volcano: true}}")
		d := first.deployment(t)
		require.EqualValues(t, 3, d.Status.ReadyReplicas)
		require.NotEqual(t, before.Annotations, d.Spec.Template.Annotations)
		_, err := core.CoreV1().ConfigMaps(first.namespace).Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		first.upgrade(t, "--reset-values")
		require.Equal(t, before, first.deployment(t).Spec.Template)
	})
	t.Run("second release", func(t *testing.T) {
		for _, second := range []release{{"second", "elsewhere"}, {"second", name}, {name, "elsewhere"}} {
			_, err := runHelm(t.Context(), "install", second.name, chart, "--namespace", second.namespace, "--create-namespace", "--take-ownership")
			require.ErrorContains(t, err, "release "+name+" in namespace "+name+" is installed in this cluster already")
			require.ErrorContains(t, err, "helm upgrade "+name+" --namespace "+name)
		}
		all, err := core.AppsV1().Deployments(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, all.Items, 1)
	})
	stop()
	require.NoError(t, first.uninstall(t.Context()))
	_, err = core.RbacV1().ClusterRoles().Get(t.Context(), name, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), err)
	left, err := frameworks.FrameworkControllerV1().Frameworks("default").Get(t.Context(), "lasting", metav1.GetOptions{})
	require.NoError(t, err)
	require.Nil(t, left.DeletionTimestamp)
	require.Equal(t, pod.UID, awaitPod(t, "lasting-worker-0").UID)

	later := release{"later", "elsewhere"}
	_, err = later.install(t)
	require.NoError(t, err)
	stop = later.start(t)
	defer stop()
	patch := []byte(`[{"op": "replace", "path": "/spec/taskRoles/0/taskNumber", "value": 2}]`)
	_, err = frameworks.FrameworkControllerV1().Frameworks("default").Patch(t.Context(), "lasting", types.JSONPatchType, patch, metav1.PatchOptions{})
	require.NoError(t, err)
	awaitPod(t, "lasting-worker-1")
	require.Equal(t, pod.UID, awaitPod(t, "lasting-worker-0").UID)
}

// An upgrade by Helm leaves an older CRD alone, and needs no hook: the controller of the release updates it when it starts. Frameworks keep
// their specs. An installation leaves the CRD alone too if asked to, and otherwise reports it.
func TestUpgradeOverAnOlderCRD(t *testing.T) {
	applyOlderCRD(t)
	r := release{name, name}
	_, err := r.install(t)
	require.ErrorContains(t, err, "failed to install CRD")
	require.ErrorContains(t, err, "conflict")
	_, err = r.install(t, "--skip-crds")
	require.NoError(t, err)
	r.upgrade(t, "--set", "replicaCount=1")
	require.NotContains(t, crdFields(t), "scheduling")
	createLasting(t, "older")
	stop := r.start(t)
	defer stop()
	eventually(t, func(context.Context) error {
		if !strings.Contains(crdFields(t), "scheduling") {
			return errors.New("the CRD is the older one")
		}
		return nil
	})
	awaitPod(t, "older-worker-0")
	eventually(t, func(ctx context.Context) error { // the API server publishes its schema a little later
		_, err := kubectl(ctx, "explain", "framework.spec.scheduling.gang.minTasks")
		return err
	})
}

// applyOlderCRD installs a CRD without scheduling, like an earlier one. Its columns may be today's.
func applyOlderCRD(t *testing.T) {
	t.Helper()
	mustKubectl(t, "apply", "--server-side", "--force-conflicts", "-f", chart+"/crds")
	mustKubectl(t, "patch", "crd", v1.CRDName, "--type=json",
		`--patch=[{"op": "remove", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/scheduling"}]`)
	require.NotContains(t, crdFields(t), "scheduling")
	mustKubectl(t, "wait", "--for=condition=Established", "--timeout="+patience.String(), "crd/"+v1.CRDName)
}

// crdFields are the fields of a spec.
func crdFields(t *testing.T) string {
	t.Helper()
	return mustKubectl(t, "get", "crd", v1.CRDName, "-o", "jsonpath={.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties}")
}

// createLasting creates a Framework with one Task, which runs until it is deleted.
func createLasting(t *testing.T, framework string) {
	t.Helper()
	manifest := t.TempDir() + "/framework.yaml"
	write(t, manifest, fmt.Sprintf(`
apiVersion: frameworkcontroller.microsoft.com/v1
kind: Framework
metadata: {name: %s, namespace: default}
spec:
  taskRoles:
  - name: worker
    taskNumber: 1
    task: {pod: {spec: {containers: [{name: main, image: 'busybox:1.37', command: [sleep, infinity]}]}}}
`, framework))
	mustKubectl(t, "apply", "-f", manifest)
	t.Cleanup(func() {
		if _, err := kubectl(context.Background(), "delete", "--cascade=background", "-f", manifest); err != nil {
			t.Error(err)
		}
	})
}

// awaitPod returns a Pod once it runs.
func awaitPod(t *testing.T, pod string) (found *corev1.Pod) {
	t.Helper()
	eventually(t, func(ctx context.Context) (err error) {
		found, err = core.CoreV1().Pods("default").Get(ctx, pod, metav1.GetOptions{})
		if err == nil && (found.Status.Phase != corev1.PodRunning || found.DeletionTimestamp != nil) {
			err = fmt.Errorf("Pod %s is %s, to be deleted: %v", pod, found.Status.Phase, found.DeletionTimestamp)
		}
		return err
	})
	return found
}

// The same without Helm: the installed objects have a label that the CRD lacks, so that they can be deleted without it. That is also the
// way from there to Helm, which does not touch objects that it has not created.
func TestUninstallOfOneFile(t *testing.T) {
	const file = deploy + "/install.yaml"
	mustKubectl(t, "apply", "-f", file)
	t.Cleanup(func() {
		if _, err := kubectl(context.Background(), "delete", "--ignore-not-found", "-f", file, "-l", "app.kubernetes.io/name="+name); err != nil {
			t.Error(err)
		}
	})
	r := release{name, name}
	_, err := r.install(t, "--skip-crds")
	require.ErrorContains(t, err, "invalid ownership metadata")
	stop := r.start(t)
	createLasting(t, "kept")
	pod := awaitPod(t, "kept-worker-0")
	stop()
	mustKubectl(t, "delete", "-f", file, "-l", "app.kubernetes.io/name="+name)
	_, err = core.RbacV1().ClusterRoles().Get(t.Context(), name, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), err)
	require.Equal(t, pod.UID, awaitPod(t, "kept-worker-0").UID)
	mustKubectl(t, "get", "framework", "kept", "-n", "default")
	_, err = r.install(t, "--skip-crds")
	require.NoError(t, err)
}
