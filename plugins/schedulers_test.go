package plugins

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
	k8syaml "sigs.k8s.io/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

const schedulersPage = "../docs/reference/schedulers.md"

var rewrite = flag.Bool("rewrite", false, "write the answers of the plugins into the page about schedulers")

// compared are the schedulers of the page, by the heading of their sections.
var compared = []string{"Kubernetes", "coscheduling", "Volcano", "Kueue", "HiveD", "YuniKorn"}

// Each scheduler has an example on its page: an entry of the configuration, a Framework, and the answer of the plugin to it.
func TestExamplesOfSchedulers(t *testing.T) {
	text := page.Read(t, schedulersPage)
	for _, scheduler := range compared {
		within := page.Section(t, text, "## "+scheduler)
		blocks, answers := page.Blocks(within, "yaml"), page.Blocks(within, "text")
		require.Len(t, blocks, 2, "%s: an entry of the configuration, and a Framework", scheduler)
		require.Len(t, answers, 1, "%s: the answer", scheduler)
		entries := entriesIn(t, blocks[0].Text)
		require.Len(t, entries, 1)
		testExample(t, entries[0])
		answer := within[:answers[0].Begin] + answerTo(t, entries[0], blocks[1].Text) + within[answers[0].End:]
		text = strings.Replace(text, within, answer, 1)
	}
	page.Keep(t, schedulersPage, text, *rewrite)
}

// Each "yes" in the tables of the page names a test, whose existence test/promises checks, and the table of all schedulers agrees with the
// table of each.
func TestFeaturesOfSchedulers(t *testing.T) {
	text := page.Read(t, schedulersPage)
	glance := page.Tables(page.Section(t, text, "## Features"))[0]
	require.Len(t, glance, 1+len(compared)+1, "the heading, the schedulers, and KAI")
	for i, scheduler := range compared {
		row := glance[1+i]
		if !strings.Contains(row[0], scheduler) {
			t.Errorf("row %d is about %s, want %s", i, row[0], scheduler)
		}
		own := page.Tables(page.Section(t, text, "## "+scheduler))[0][1:]
		require.Len(t, own, len(row)-1, "%s: a row for each feature", scheduler)
		for j, cells := range own {
			if cells[0] != glance[0][1+j] {
				t.Errorf("%s: row %d is about %s, want %s", scheduler, j, cells[0], glance[0][1+j])
			}
			testFeature(t, scheduler, row[1+j], cells)
		}
	}
}

// namedTest is how a table names a test.
var namedTest = regexp.MustCompile("`[a-z/0-9-]+\\.Test[A-Za-z]+`")

// testFeature checks a feature of a scheduler: its cell in the table of all schedulers, and its row in the scheduler's own table.
func testFeature(t *testing.T, scheduler, glance string, row []string) {
	t.Helper()
	yes, _, _ := strings.Cut(strings.ReplaceAll(row[1], ":", ""), " ")
	short, _, _ := strings.Cut(glance, " ")
	if !slices.Contains([]string{"yes", "tried", "Pod", "no"}, yes) || yes != short {
		t.Errorf("%s, %s: %q in its own table, %q in the table of all", scheduler, row[0], row[1], glance)
	}
	if yes == "yes" && !namedTest.MatchString(row[2]) {
		t.Errorf("%s, %s: no test", scheduler, row[0])
	}
}

// The plugins accept the configurations on the pages about running a gang.
func TestConfigurationsInTasks(t *testing.T) {
	pages, err := filepath.Glob("../docs/tasks/run-a-gang*.md")
	require.NoError(t, err)
	require.Len(t, pages, len(compared))
	for _, path := range pages {
		blocks := page.Blocks(page.Read(t, path), "yaml")
		require.Len(t, blocks, 1, path)
		for _, e := range entriesIn(t, blocks[0].Text) {
			testExample(t, e)
		}
	}
}

// answerTo asks a plugin about attempt 0 of a Framework, and renders its answer.
func answerTo(t *testing.T, e entry, manifest string) string {
	t.Helper()
	var f v1.Framework
	require.NoError(t, k8syaml.UnmarshalStrict([]byte(manifest), &f))
	state, err := lifecycle.Load(&v1.FrameworkStatus{State: v1.AttemptCreationPending,
		AttemptStatus: v1.FrameworkAttemptStatus{ConfigMapName: f.Name + "-attempt", TaskRoleStatuses: []v1.TaskRoleStatus{}}})
	require.NoError(t, err)
	q, err := consult.HintRequest(&pluginpb.Framework{Namespace: "default", Name: f.Name}, &f.Spec, state, "")
	require.NoError(t, err)
	q.Parameters = plugintest.Parameters(t, e.Parameters)
	answer, err := shipped[e.Command]().SchedulerHints.Hint(t.Context(), q)
	require.NoError(t, err)
	require.NoError(t, plugintest.CheckHints(q, answer))
	require.Empty(t, answer.GetRefusal())
	require.Empty(t, answer.GetWarnings())
	var documents []string
	for _, o := range answer.GetObjects() {
		var tree any
		require.NoError(t, json.Unmarshal(o.GetJson(), &tree))
		documents = append(documents, inYAML(t, tree))
	}
	for _, p := range answer.GetPatches() {
		documents = append(documents, fmt.Sprintf("# Pods of role %s\n%s", p.GetTaskRole(), inYAML(t, patched(t, p))))
	}
	return strings.Join(documents, "---\n")
}

// patched is the part of a Pod that a patch writes.
func patched(t *testing.T, p *pluginpb.PodPatch) map[string]any {
	t.Helper()
	metadata, spec := map[string]any{}, map[string]any{}
	if len(p.GetSpecJson()) > 0 {
		require.NoError(t, json.Unmarshal(p.GetSpecJson(), &spec))
	}
	if len(p.GetLabels()) > 0 {
		metadata["labels"] = p.GetLabels()
	}
	if len(p.GetAnnotations()) > 0 {
		metadata["annotations"] = p.GetAnnotations()
	}
	if name := p.GetSchedulerName(); name != "" {
		spec["schedulerName"] = name
	}
	if class := p.GetPriorityClassName(); class != "" {
		spec["priorityClassName"] = class
	}
	var containers []any
	for _, c := range p.GetContainers() {
		var env any
		if len(c.GetEnvJson()) > 0 {
			require.NoError(t, json.Unmarshal(c.GetEnvJson(), &env))
		}
		containers = append(containers, map[string]any{"resources": map[string]any{"limits": c.GetLimits()}, "env": env})
	}
	if len(containers) > 0 {
		spec["containers"] = containers
	}
	out := map[string]any{}
	if len(metadata) > 0 {
		out["metadata"] = metadata
	}
	if len(spec) > 0 {
		out["spec"] = spec
	}
	return out
}

func inYAML(t *testing.T, tree any) string {
	t.Helper()
	var out strings.Builder
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	require.NoError(t, e.Encode(tree))
	return out.String()
}
