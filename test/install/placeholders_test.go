package install

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Helm reads double braces itself. Each way of the manual to write a placeholder in a template gives the placeholder.
func TestManualOnPlaceholdersInCharts(t *testing.T) {
	page, err := os.ReadFile("../../docs/user-manual/gitops.md")
	require.NoError(t, err)
	template := regexp.MustCompile("(?s)```gotemplate\n# templates/train.yaml\n(.*?)```").FindSubmatch(page)
	inline := regexp.MustCompile("(?m)^\\| Helm \\| `(.+?)`, or a whole text in backquotes: ``(.+?)`` \\|$").FindSubmatch(page)
	file := regexp.MustCompile("include it with `(.+?)`").FindSubmatch(page)
	require.NotNil(t, template)
	require.NotNil(t, inline)
	require.NotNil(t, file)
	made := renderChart(t, map[string]string{
		"Chart.yaml":           "{apiVersion: v2, name: trainings, version: 0.1.0}",
		"templates/train.yaml": string(template[1]),
		"templates/words.yaml": "one: '" + string(inline[1]) + "'\ntext: '" + string(inline[2]) + "'\n",
		"templates/file.yaml":  string(file[1]),
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

// renderChart returns what Helm makes of each file in templates, for the release my-run.
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
