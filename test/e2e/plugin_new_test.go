package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Plugins written by make plugin-new decide about their example Frameworks, as the comments in these describe.
func TestNewPlugins(t *testing.T) {
	installPlugins(t)
	folders := map[string]string{}
	var entries strings.Builder
	for _, kind := range []string{"FailureClassifier", "CompletionPolicy", "SchedulerHints"} {
		folders[kind] = newPlugin(t, "new-"+strings.ToLower(kind), kind)
		entry, err := os.ReadFile(filepath.Join(folders[kind], "plugin.yaml"))
		require.NoError(t, err)
		entries.Write(entry)
	}
	withPlugins(t, entries.String())
	s := newStory(t)
	for _, folder := range folders {
		s.createFrom(filepath.Join(folder, "framework.yaml"))
	}

	f := s.awaitState("newfailureclassifier", v1.Completed, 0)
	if want := "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-0\nworker-0 Completed retried=1/0 code=0 Succeeded\n"; describe(f.Status) != want {
		t.Errorf("got:\n%swant:\n%s", describe(f.Status), want)
	}
	f = s.awaitState("newcompletionpolicy", v1.Completed, 0)
	requireOutcomes(t, f.Status, "code=0 Succeeded trigger=worker-1", "")
	requireSource(s, "of the attempt", f.Status.AttemptStatus.CompletionStatus.Source,
		&v1.CompletionSource{Plugin: "new-completionpolicy", Version: "0.1.0", Rule: "most have succeeded"})
	for _, name := range []string{"newschedulerhints-worker-0", "newschedulerhints-worker-1"} {
		until(s, thePods, name, "presented to the scheduler", func(p *corev1.Pod) bool { return p.Annotations["example.com/gang-size"] == "2" })
	}
}

// newPlugin writes a plugin, and builds it for the controller under test.
func newPlugin(t *testing.T, name, kind string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), name)
	write := exec.CommandContext(t.Context(), "go", "run", "../../tools/plugin-new", "-checkout", "../..", "-name", name, "-kind", kind, "-dir", folder)
	if output, err := write.CombinedOutput(); err != nil {
		t.Fatalf("writing %s: %v\n%s", name, err, output)
	}
	build := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"build", "-o", filepath.Join(pluginDir(), name)}, buildFlags, []string{"."})...)
	build.Dir = folder
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, output)
	}
	return folder
}

// createFrom makes the Framework of a manifest.
func (s *story) createFrom(path string) {
	s.t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(s.t, err)
	f := &unstructured.Unstructured{}
	require.NoError(s.t, yaml.Unmarshal(text, &f.Object))
	if _, err := s.raw.Create(s.t.Context(), f, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
}
