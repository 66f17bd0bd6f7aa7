package api

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// sparse leaves out fields with defaults.
const sparse = `apiVersion: frameworkcontroller.microsoft.com/v1
kind: Framework
metadata:
  name: NAME
  labels: {app.kubernetes.io/instance: app}
spec:
  taskRoles:
  - name: worker
    task: {pod: {spec: {containers: [{name: main, image: busybox:1.37}]}}}
`

func writeManifest(t *testing.T, text, name string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "manifest.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(text, "NAME", name)), 0o644))
	return file
}

// complete is the manifest of the manual that sets each default.
func complete(t *testing.T) string {
	t.Helper()
	found := ""
	for _, e := range manifests(t) {
		if strings.Contains(e.text, "name: smallest\n") {
			found = e.text // the second one, as stored
		}
	}
	return strings.Replace(found, "name: smallest", "name: NAME", 1)
}

// A client-side apply compares lists as a whole, so defaults within a role look like a change each time. The apply changes nothing: neither
// the version of the object, which watches follow, nor the generation.
func TestKubectlAppliesTwice(t *testing.T) {
	tests := map[string]struct{ manifest, want string }{
		"sparse":   {sparse, "configured"},
		"complete": {complete(t), "unchanged"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			file := writeManifest(t, tt.manifest, name)
			require.Contains(t, kubectl(t, "apply", "-f", file), "created")
			before := writeStatus(t, name)
			require.Contains(t, kubectl(t, "apply", "-f", file), tt.want)
			require.Empty(t, kubectl(t, "diff", "-f", file))
			require.Equal(t, before, getRaw(t, name))
		})
	}
}

// Tools that apply on the server, and compare by the result of a dry run, find nothing to do, even if the manifest leaves out defaults.
// That holds for the creator of the Framework, and for a manager that takes it over.
func TestServerSideApplyTwice(t *testing.T) {
	const name = "serverside"
	file := writeManifest(t, sparse, name)
	apply := func(manager string, more ...string) string {
		t.Helper()
		return kubectl(t, append([]string{"apply", "--server-side", "--field-manager=" + manager, "-f", file}, more...)...)
	}
	apply("first")
	before := writeStatus(t, name)
	for _, manager := range []string{"first", "second"} {
		predicted := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(apply(manager, "--dry-run=server", "-o", "yaml")), &predicted.Object))
		require.Equal(t, withoutManagers(before), withoutManagers(predicted))
	}
	apply("first")
	require.Equal(t, before, getRaw(t, name))
	apply("second") // it owns the fields, too: nothing else is changed
	after := getRaw(t, name)
	require.Equal(t, withoutManagers(before).Object["spec"], after.Object["spec"])
	require.Equal(t, before.GetGeneration(), after.GetGeneration())
}

// Fields that the manifest omits stay as a queue or a person has set them. Fields that it sets are set back, and a server-side apply names
// the manager that has changed them.
func TestApplyKeepsWhatItDoesNotName(t *testing.T) {
	const name = "kept"
	file := writeManifest(t, sparse, name)
	suspend := func(fields string) {
		t.Helper()
		_, err := rawClient.Patch(t.Context(), name, types.MergePatchType, []byte(fields), metav1.PatchOptions{FieldManager: "queue"})
		require.NoError(t, err)
	}
	for _, how := range [][]string{nil, {"--server-side", "--force-conflicts"}} {
		kubectl(t, append([]string{"apply", "-f", file}, how...)...)
		suspend(`{"spec":{"suspend":true,"description":"by a queue"}}`)
		kubectl(t, append([]string{"apply", "-f", file}, how...)...)
		f, err := frameworks.Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		require.True(t, *f.Spec.Suspend)
		require.Equal(t, "by a queue", f.Spec.Description)
	}
	named := writeManifest(t, strings.Replace(sparse, "spec:\n", "spec:\n  suspend: false\n", 1), name)
	_, err := tryKubectl(t.Context(), "apply", "--server-side", "--field-manager=git", "-f", named)
	require.ErrorContains(t, err, `conflict with "queue"`)
	require.ErrorContains(t, err, ".spec.suspend")
}

// A commit that changes Stop back is refused, by each kind of apply.
func TestAppliedAgainAfterAStop(t *testing.T) {
	const name = "stopped"
	file := writeManifest(t, sparse+"  executionType: Start\n", name)
	kubectl(t, "apply", "-f", file)
	kubectl(t, "patch", "fw", name, "--type=merge", "-p", `{"spec":{"executionType":"Stop"}}`)
	for _, how := range [][]string{nil, {"--server-side", "--force-conflicts"}} {
		_, err := tryKubectl(t.Context(), append([]string{"apply", "-f", file}, how...)...)
		require.ErrorContains(t, err, "to run again, create a new Framework")
	}
}

// withoutManagers leaves out who owns which field.
func withoutManagers(f *unstructured.Unstructured) *unstructured.Unstructured {
	f = f.DeepCopy()
	f.SetManagedFields(nil)
	return f
}

func getRaw(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	f, err := rawClient.Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return f
}

// writeStatus stores a status as the controller does, and returns the Framework after it.
func writeStatus(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	f, err := frameworks.Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	f.Status = someStatus()
	_, err = frameworks.UpdateStatus(t.Context(), f, metav1.UpdateOptions{FieldManager: "frameworkcontroller"})
	require.NoError(t, err)
	return getRaw(t, name)
}

// Kustomize changes images in a Framework, and with the configuration of the manual the names of generated ConfigMaps and Secrets.
func TestManualOnKustomize(t *testing.T) {
	files := namedBlocks(manualPage(t, "gitops.md"))
	dir := t.TempDir()
	for _, name := range []string{"kustomization.yaml", "frameworks.yaml", "train.yaml"} {
		require.Contains(t, files, name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o644))
	}
	made := kubectl(t, "kustomize", dir)
	for _, kind := range []string{"settings", "token"} {
		name := regexp.MustCompile(`(?m)^  name: (` + kind + `-\w+)$`).FindStringSubmatch(made)
		require.Len(t, name, 2, made)
		require.Equal(t, 2, strings.Count(made, ": "+name[1]+"\n"), made)
	}
	require.Contains(t, made, "image: registry.example.com/worker:2")
	require.NotContains(t, made, "my/worker")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "made.yaml"), []byte(made), 0o644))
	kubectl(t, "apply", "--dry-run=server", "--validate=strict", "-f", filepath.Join(dir, "made.yaml"))
}

// namedBlocks returns the blocks of a page that begin with the name of a file.
func namedBlocks(text string) map[string]string {
	files := map[string]string{}
	for _, block := range page.Blocks(text) {
		first, rest, _ := strings.Cut(block.Text, "\n")
		if name, ok := strings.CutPrefix(first, "# "); ok && !strings.Contains(name, " ") {
			files[name] = rest
		}
	}
	return files
}

// The fields by which the manual lets other programs see the end of a Framework exist, and Argo can name them: its conditions have the
// syntax of label selectors.
func TestManualOnTheEndForOthers(t *testing.T) {
	storeCompleted(t, "ended")
	text := manualPage(t, "gitops.md")
	condition := regexp.MustCompile(`successCondition: (.+)`).FindStringSubmatch(text)
	require.Len(t, condition, 2)
	selector, err := labels.Parse(condition[1])
	require.NoError(t, err)
	require.True(t, selector.Matches(labels.Set{"status.state": string(v1.Completed)}))
	require.Equal(t, string(v1.Completed), kubectl(t, "get", "fw", "ended", "-o", "jsonpath={.status.state}"))
	code := regexp.MustCompile(`jsonPath: '(.+)'`).FindStringSubmatch(text)
	require.Len(t, code, 2)
	require.Equal(t, "-1200", kubectl(t, "get", "fw", "ended", "-o", "jsonpath="+code[1]))
}
