package install

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// Helm reads double braces itself. Each way of the manual to write a placeholder in a template gives the placeholder.
func TestManualOnPlaceholdersInCharts(t *testing.T) {
	text := page.Read(t, "../../docs/operations/gitops.md")
	blocks := page.Blocks(text, "gotemplate")
	template := slices.IndexFunc(blocks, func(b page.Block) bool { return strings.HasPrefix(b.Text, "# templates/train.yaml\n") })
	inline := regexp.MustCompile("(?m)^\\| Helm \\| `(.+?)`, or a whole text in backquotes: ``(.+?)`` \\|$").FindStringSubmatch(text)
	file := regexp.MustCompile("include it with `(.+?)`").FindStringSubmatch(text)
	require.GreaterOrEqual(t, template, 0)
	require.NotNil(t, inline)
	require.NotNil(t, file)
	made := renderChart(t, map[string]string{
		"Chart.yaml":           "{apiVersion: v2, name: trainings, version: 0.1.0}",
		"templates/train.yaml": blocks[template].Text,
		"templates/words.yaml": "one: '" + inline[1] + "'\ntext: '" + inline[2] + "'\n",
		"templates/file.yaml":  file[1],
		"files/train.yaml":     "hostname: '{{FC_TASKROLE_NAME}}-{{FC_TASK_INDEX}}'\n",
	})
	var train v1.Framework
	require.NoError(t, yaml.Unmarshal([]byte(made["train.yaml"]), &train))
	require.Equal(t, "myrun", train.Name)
	require.Equal(t, int32(2), train.Spec.TaskRoles[0].TaskNumber)
	for file, texts := range map[string][]string{
		"train.yaml": {`shard: "{{FC_TASKROLE_NAME}}-{{FC_TASK_INDEX}}"`, `claimName: "data-{{FC_TASK_INDEX}}"`, `$(FC_TASK_INDEX)`},
		"words.yaml": {"one: '{{FC_TASK_INDEX}}'", "text: 'train-{{FC_TASKROLE_NAME}}-{{FC_TASK_INDEX}}'"},
		"file.yaml":  {"hostname: '{{FC_TASKROLE_NAME}}-{{FC_TASK_INDEX}}'"},
	} {
		for _, text := range texts {
			require.Contains(t, made[file], text)
		}
	}
}

// renderChart returns Helm's rendering of each file in templates, for the release my-run.
func renderChart(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	out, err := runHelm(t.Context(), "template", "my-run", dir, "--set", "workers=2,image=my/worker")
	require.NoError(t, err)
	made := map[string]string{}
	for _, part := range strings.Split(out, "---\n# Source: trainings/templates/")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		made[name] = text
	}
	return made
}
