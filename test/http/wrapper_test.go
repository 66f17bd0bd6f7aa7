package http

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	portal "github.com/frameworkcontroller/frameworkcontroller/example/wrapper/go"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

const platform = "platform" // account of a program with the permissions of the manual's account

// newPlatform creates the account, and returns a kubeconfig for it.
func newPlatform(t *testing.T) (kubeconfig string) {
	t.Helper()
	_, err := core.CoreV1().ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: platform}}, metav1.CreateOptions{})
	require.True(t, err == nil || apierrors.IsAlreadyExists(err), err)
	for _, role := range []string{"edit", "view"} {
		_, err := core.RbacV1().RoleBindings(namespace).Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: platform + "-" + role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "frameworkcontroller-" + role},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: platform}},
		}, metav1.CreateOptions{})
		require.True(t, err == nil || apierrors.IsAlreadyExists(err), err)
	}
	return clustertest.KubeconfigOf(t, kube, namespace, platform)
}

// removeJob deletes the Framework of a job when the test has ended.
func removeJob(t *testing.T, name string) {
	t.Cleanup(func() {
		err := frameworks.Delete(context.Background(), name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	})
}

// The example of a platform in Go works as its page describes against a real API server and a controller, with the account of a program.
func TestWrapperInGo(t *testing.T) {
	config, err := clientcmd.BuildConfigFromFlags("", newPlatform(t))
	require.NoError(t, err)
	clientset, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	p := portal.New(clientset, namespace)
	job := portal.Job{Owner: "ada", Key: t.Name(), Image: "busybox:1.37", Command: []string{"sleep", "infinity"}, Workers: 2}
	f, err := p.Submit(t.Context(), job)
	require.NoError(t, err)
	removeJob(t, f.Name)
	again, err := p.Submit(t.Context(), job)
	require.NoError(t, err)
	require.Equal(t, f.UID, again.UID)
	job.Workers = 3
	_, err = p.Submit(t.Context(), job)
	require.ErrorIs(t, err, portal.ErrOtherJob)

	views := make(chan portal.View, 100)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() { _ = p.Watch(ctx, func(v portal.View) { views <- v }, func(string) {}) }()
	reach := func(phase portal.Phase, running int32) portal.View {
		for {
			select {
			case v := <-views:
				if v.Name == f.Name && v.Phase == phase && v.Running == running {
					return v
				}
			case <-ctx.Done():
				t.Fatalf("the job is not %s", phase)
			}
		}
	}
	reach(portal.Running, 2)
	require.NoError(t, p.Stop(ctx, f.Name))
	require.NoError(t, p.Stop(ctx, f.Name), "a second time")
	require.True(t, reach(portal.Stopped, 0).Final())
	f, err = frameworks.Get(ctx, f.Name, metav1.GetOptions{})
	require.NoError(t, err)
	roles, err := portal.TasksOf(f)
	require.NoError(t, err)
	require.Len(t, roles[0].TaskStatuses, 2)
}

// So does the one in Python, which needs no library.
func TestWrapperInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("skipping: needs Python: ", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", newPlatform(t))
	require.NoError(t, err)
	dir := t.TempDir()
	token, ca := filepath.Join(dir, "token"), filepath.Join(dir, "ca.crt")
	require.NoError(t, os.WriteFile(token, []byte(config.BearerToken), 0o600))
	if config.CAData == nil {
		config.CAData, err = os.ReadFile(config.CAFile)
		require.NoError(t, err)
	}
	require.NoError(t, os.WriteFile(ca, config.CAData, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-B", "-c", `
import json, sys
from portal import *
p = Portal(*sys.argv[1:])
job = Job("ada", "TestWrapperInPython", "busybox:1.37", ("sleep", "infinity"), workers=2)
first = p.submit(job)
again = p.submit(job)
try:
    p.submit(Job("ada", "TestWrapperInPython", "busybox:1.37", workers=3))
except OtherJob:
    pass
else:
    sys.exit("another job with the same key is accepted")
stopped = False
for name, seen in p.watch():
    if name != first["metadata"]["name"]:
        continue
    if seen["phase"] == "Running" and seen["running"] == 2 and not stopped:
        p.stop(name)
        stopped = True
    if seen["phase"] in FINAL:
        break
tasks = sum(len(role["taskStatuses"]) for role in tasks_of(p.get(name)))
print(json.dumps([name, first["metadata"]["uid"] == again["metadata"]["uid"], seen["phase"], seen["code"], tasks]))
`, config.Host, namespace, token, ca)
	cmd.Env = append(os.Environ(), "PYTHONPATH=../../example/wrapper/python")
	name := portal.NameOf("ada", "TestWrapperInPython")
	removeJob(t, name)
	out, err := cmd.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var got []any
	require.NoError(t, json.Unmarshal(out, &got))
	require.Equal(t, []any{name, true, "Stopped", -210.0, 2.0}, got)
}
