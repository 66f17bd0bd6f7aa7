package metrics

import (
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var rewrite = flag.Bool("rewrite", false, "write the table of metrics anew")

var (
	named = regexp.MustCompile(`\b` + namespace + `_[a-z_]+`)
	// histogramSeries are the series of a histogram, which has its own name without the last word.
	histogramSeries = regexp.MustCompile(`^([a-z_]+)_(?:bucket|count|sum)$`)

	described = regexp.MustCompile(`fqName: "([a-z_]+)", help: "(.*)", constLabels: \{\}, variableLabels: \{([a-z_,]*)\}`)
)

const manual = "../../docs/reference/metrics.md"

// The table of the manual is made from the code, with -rewrite.
func TestManualListsAll(t *testing.T) {
	page.Keep(t, manual, page.Generated(t, page.Read(t, manual), "metrics", table(t)), *rewrite)
}

// table sorts by name, which keeps the metrics of one kind of work together.
func table(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| Metric | Type | Labels | Meaning |\n|:---- |:---- |:---- |:---- |\n")
	inCode := readCode(t)
	for _, name := range slices.Sorted(maps.Keys(inCode)) {
		m := inCode[name]
		labels := ""
		if m.labels != "" {
			labels = "`" + strings.ReplaceAll(m.labels, ",", "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, typeOf(name), labels, strings.ReplaceAll(m.help, "<error>", "`<error>`"))
	}
	return b.String()
}

// typeOf derives the type from the name, since descriptions have no type; TestTypesFollowNames checks it.
func typeOf(name string) string {
	now := slices.Contains([]string{namespace + "_workqueue_unfinished_work_seconds", namespace + "_workqueue_longest_running_processor_seconds"}, name)
	switch {
	case strings.HasSuffix(name, "_total"):
		return "counter"
	case !now && (strings.HasSuffix(name, "_seconds") || strings.HasSuffix(name, "_bytes")):
		return "histogram"
	}
	return "gauge"
}

func TestTypesFollowNames(t *testing.T) {
	m := whole(&scene{
		states:  []counts.ByState{{State: v1.AttemptRunning}},
		waiters: []counts.ByReason{{Reason: "Unschedulable"}},
		health:  []pluginhost.Health{{}},
	})
	m.AttemptCompleted(controller.OfTask, &v1.CompletionStatus{})
	m.PluginCalled(pluginhost.Call{})
	families, err := m.registry.Gather()
	require.NoError(t, err)
	seen := 0
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), namespace+"_") {
			seen++
			require.Equal(t, strings.ToLower(f.GetType().String()), typeOf(f.GetName()), f.GetName())
		}
	}
	require.Greater(t, seen, 25)
}

// Every metric that the manual names exists.
func TestManualNamesMetrics(t *testing.T) {
	inCode := readCode(t)
	for _, name := range named.FindAllString(page.Read(t, manual), -1) {
		if series := histogramSeries.FindStringSubmatch(name); series != nil {
			name = series[1]
		}
		if _, ok := inCode[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
}

// inCode is a metric as declared in the code: its labels, separated by commas, and its help.
type inCode struct{ labels, help string }

// readCode returns each metric of our own.
func readCode(t *testing.T) map[string]inCode {
	t.Helper()
	descs := make(chan *prometheus.Desc)
	m := whole(&scene{})
	go func() {
		m.registry.Describe(descs)
		close(descs)
	}()
	found := map[string]inCode{}
	for d := range descs {
		if !strings.Contains(d.String(), `"`+namespace+"_") {
			continue
		}
		parts := described.FindStringSubmatch(d.String())
		if parts == nil {
			t.Errorf("cannot read %s", d)
			continue
		}
		found[parts[1]] = inCode{parts[3], parts[2]}
		if parts[2] == "" {
			t.Errorf("%s has no help", parts[1])
		}
	}
	return found
}
