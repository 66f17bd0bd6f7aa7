package rbac

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// How the controller fills its caches: with a stream, or as it does from API servers that do not stream lists.
const (
	withWatchList    = "KUBE_FEATURE_WatchListClient=true"
	withoutWatchList = "KUBE_FEATURE_WatchListClient=false"
)

// startController runs the controller until the test ends, as the ServiceAccount that the manifests install.
func startController(t *testing.T, env ...string) {
	t.Helper()
	// The one before was killed, and so has not given the lease back.
	if err := core.CoordinationV1().Leases(name).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	clustertest.StartController(t, kube, launch.Options{
		Binary: binary, Config: "crdEstablishedCheckTimeoutSec: 30\n",
		Args: []string{"--leader-elect", "--leader-elect-namespace=" + name},
		Env:  append(env, "KUBECONFIG="+clustertest.KubeconfigOf(t, kube, name, name)),
	})
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}
