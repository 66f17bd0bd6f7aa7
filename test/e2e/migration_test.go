package e2e

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/convert"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// migration is an example in docs/tasks/move-from-*.md: an object of another system, and how the Framework ends that it becomes.
type migration struct {
	page, kind string
	tasks      int32
	ends       []string // Pods, which then succeed
	want       string   // the description at the end
}

var migrations = []migration{
	{page: "from-volcano.md", kind: "Job", tasks: 3, ends: []string{"digits-chief-0"}, want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=chief-0
chief-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`},
	{page: "from-jobset.md", kind: "JobSet", tasks: 3, ends: []string{"digits-driver-0"}, want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=driver-0
driver-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`},
	{page: "from-jobset.md", kind: "Job", tasks: 5, ends: []string{"render-worker-0", "render-worker-1", "render-worker-2", "render-worker-3"}, want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-\d
worker-0 Completed retried=0/0 code=0 Succeeded
worker-1 Completed retried=0/0 code=0 Succeeded
worker-2 Completed retried=0/0 code=0 Succeeded
worker-3 Completed retried=0/0 code=0 Succeeded
worker-4 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`},
	{page: "from-training-operator.md", kind: "PyTorchJob", tasks: 3, ends: []string{"digits-master-0"}, want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=master-0
master-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`},
	{page: "from-training-operator.md", kind: "MPIJob", tasks: 3, ends: []string{"ring-launcher-0"}, want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=launcher-0
launcher-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`},
}

// The API server accepts the Frameworks on the pages about migration, and they run to their end. pkg/convert tests that they result from
// the conversion.
func TestMigration(t *testing.T) {
	t.Parallel()
	for _, m := range migrations {
		t.Run(m.kind+" of "+m.page, func(t *testing.T) {
			t.Parallel()
			from, framework := m.example(t)
			result, err := convert.Object(from)
			require.NoError(t, err)
			s := newStory(t)
			s.applyText(framework)
			name := result.Framework["metadata"].(map[string]any)["name"].(string)
			s.awaitAllRunning(name, m.tasks)
			for _, pod := range m.ends {
				s.endPod(pod, 0)
			}
			s.requireEnds(name, m.want)
		})
	}
}

// A manifest of the original is stored unchanged, and runs to its end.
func TestMigrationFromTheOriginal(t *testing.T) {
	t.Parallel()
	m := migration{page: "from-original.md", kind: v1.FrameworkKind}
	text := m.block(t, 0)
	var want map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &want))
	s := newStory(t)
	s.applyText(text)
	if got := s.asStored("search").Object["spec"]; !reflect.DeepEqual(got, want["spec"]) {
		t.Errorf("stored is\n%v\nand not\n%v", got, want["spec"])
	}
	s.awaitAllRunning("search", 3)
	s.endPod("search-worker-1", 0)
	s.requireEnds("search", `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-1
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=0/0 code=0 Succeeded
worker-2 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`)
}

// requireEnds requires this description at the end.
func (s *story) requireEnds(name, want string) {
	s.t.Helper()
	f := s.await(name, "completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed })
	if got := describe(f.Status); !regexp.MustCompile("^" + strings.TrimSpace(want) + "\n?$").MatchString(got) {
		s.t.Errorf("got:\n%swant:%s", got, want)
	}
}

// applyText applies a manifest, and wants the API server to know all fields.
func (s *story) applyText(text string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "framework.yaml")
	require.NoError(s.t, os.WriteFile(file, []byte(text), 0o600))
	s.kubectl("apply", "--server-side", "--validate=strict", "-f", file)
}

// example returns the object of the page, and the text of the Framework that stands behind it.
func (m migration) example(t *testing.T) (from map[string]any, framework string) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(m.block(t, 0)), &from))
	return from, m.block(t, 1)
}

// block returns the block of YAML at a distance after the first one with an object of that kind.
func (m migration) block(t *testing.T, behind int) string {
	t.Helper()
	blocks := page.Blocks(page.Read(t, "../../docs/tasks/move-"+m.page), "yaml")
	i := slices.IndexFunc(blocks, func(b page.Block) bool { return strings.Contains(b.Text, "\nkind: "+m.kind+"\n") })
	require.GreaterOrEqual(t, i, 0, "the page has no %s", m.kind)
	return blocks[i+behind].Text
}
