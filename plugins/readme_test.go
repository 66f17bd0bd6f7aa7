package plugins

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-exitcodes/exitcodes"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-nodes/nodefault"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-podpattern/podpattern"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/completion-leader/leader"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/completion-taskcount/thresholds"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-coscheduling/coscheduling"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-hived/hived"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-kueue/kueue"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-volcano/volcano"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-workload/workload"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-yunikorn/yunikorn"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/history-remote/remote"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var shipped = map[string]func() plugin.Plugin{
	"classifier-exitcodes":  exitcodes.New,
	"classifier-nodes":      func() plugin.Plugin { return nodefault.New(noCluster) },
	"classifier-podpattern": podpattern.New,
	"completion-leader":     leader.New,
	"completion-taskcount":  thresholds.New,
	"hints-coscheduling":    coscheduling.New,
	"hints-hived":           hived.New,
	"hints-kueue":           kueue.New,
	"hints-volcano":         volcano.New,
	"hints-workload":        workload.New,
	"hints-yunikorn":        yunikorn.New,
	"history-remote":        remote.New,
}

// noCluster is for a plugin that gets no question.
func noCluster(string) (nodefault.Cluster, error) { return nil, nil }

// entry is one plugin as the README shows it.
type entry struct {
	Name       string         `yaml:"name"`
	Kind       string         `yaml:"kind"`
	Command    string         `yaml:"command"`
	Memory     string         `yaml:"memoryLimit"`
	Parameters map[string]any `yaml:"parameters"`
}

// Each example in the README is accepted by the plugin that it names, and each shipped plugin has one.
func TestExamples(t *testing.T) {
	text := page.Read(t, "README.md")
	shown := map[string]bool{}
	for _, block := range page.Blocks(text, "yaml") {
		for _, e := range entriesIn(t, block.Text) {
			shown[e.Command] = true
			testExample(t, e)
		}
	}
	for name := range shipped {
		if !shown[name] || !hasRow(text, "["+name+"](#"+name+")") {
			t.Errorf("%s has no example, or no line in the table", name)
		}
	}
}

// hasRow reports whether a table has a row that begins with these cells.
func hasRow(text string, cells ...string) bool {
	return slices.ContainsFunc(page.Rows(text), func(row []string) bool { return len(row) >= len(cells) && slices.Equal(row[:len(cells)], cells) })
}

func entriesIn(t *testing.T, block string) []entry {
	t.Helper()
	var file struct {
		Plugins []entry `yaml:"plugins"`
	}
	d := yaml.NewDecoder(strings.NewReader(block))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		t.Fatalf("%v in\n%s", err, block)
	}
	return file.Plugins
}

func testExample(t *testing.T, e entry) {
	t.Helper()
	build, ok := shipped[e.Command]
	if !ok {
		t.Fatalf("there is no plugin %s", e.Command)
	}
	configs := []pluginhost.Config{{Name: e.Name, Kind: plugin.Kind(e.Kind), Command: e.Command, Parameters: e.Parameters}}
	if mistakes := pluginhost.Validate("plugins", configs); len(mistakes) > 0 {
		t.Errorf("%s: %v", e.Command, mistakes)
	}
	p := build()
	if kind := kindOf(p); kind != e.Kind {
		t.Errorf("%s is a %s, and not a %s", e.Command, kind, e.Kind)
	}
	if err := p.Configure(e.Name, plugintest.Parameters(t, e.Parameters)); err != nil {
		t.Errorf("%s: %v", e.Command, err)
	}
}

func kindOf(p plugin.Plugin) string {
	switch {
	case p.FailureClassifier != nil:
		return "FailureClassifier"
	case p.CompletionPolicy != nil:
		return "CompletionPolicy"
	case p.HistorySink != nil:
		return "HistorySink"
	default:
		return "SchedulerHints"
	}
}

// Each folder with a program is a shipped plugin.
func TestShipped(t *testing.T) {
	mains, err := filepath.Glob("*/main.go")
	if err != nil || len(mains) != len(shipped) {
		t.Errorf("%d programs, %d of them known: %v", len(mains), len(shipped), err)
	}
	for _, main := range mains {
		if shipped[filepath.Dir(main)] == nil {
			t.Errorf("%s is unknown", main)
		}
	}
}

// The README lists the parameters that a Framework may set, as each plugin declares them.
func TestParametersOfFrameworks(t *testing.T) {
	text := page.Read(t, "README.md")
	for name, build := range shipped {
		declared := build().FrameworkParameters
		want := "any"
		if declared != nil {
			want = "none"
		}
		if len(declared) > 0 {
			want = "`" + strings.Join(declared, "`, `") + "`"
		}
		if !hasRow(text, name, want) {
			t.Errorf("%s: the README does not say that Frameworks may set %s", name, want)
		}
		for _, key := range declared {
			if err := build().Configure("it", plugintest.Parameters(t, map[string]any{key: map[string]any{}})); err != nil && strings.Contains(err.Error(), "unknown field") {
				t.Errorf("%s has no parameter %s: %v", name, key, err)
			}
		}
	}
}
