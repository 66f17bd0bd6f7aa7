package metrics

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

var (
	documented = regexp.MustCompile("^\\| `(frameworkcontroller_[a-z_]+)` \\|([^|]*)\\| [^|]+ \\|$")
	named      = regexp.MustCompile(`\b` + namespace + `_[a-z_]+`)
	// histogramSeries are the series of a histogram, which has its own name without the last word.
	histogramSeries = regexp.MustCompile(`^([a-z_]+)_(?:bucket|count|sum)$`)

	described = regexp.MustCompile(`fqName: "([a-z_]+)", help: "(.*)", constLabels: \{\}, variableLabels: \{([a-z_,]*)\}`)
)

// Each metric is in the manual with its labels, and there is each that is in the manual.
func TestManualListsAll(t *testing.T) {
	inManual, inCode := readManual(t), readCode(t)
	for name, labels := range inCode {
		if found, ok := inManual[name]; !ok || found != labels {
			t.Errorf("%s has the labels %q, and in the manual %q (listed: %t)", name, labels, found, ok)
		}
	}
	for name := range inManual {
		if _, ok := inCode[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
}

// What the manual says elsewhere about metrics is about metrics that there are.
func TestManualNamesMetrics(t *testing.T) {
	inCode := readCode(t)
	for _, name := range named.FindAllString(manual(t), -1) {
		if series := histogramSeries.FindStringSubmatch(name); series != nil {
			name = series[1]
		}
		if _, ok := inCode[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
}

func manual(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/user-manual/operations.md")
	require.NoError(t, err)
	return string(text)
}

// readManual returns the labels of each metric in the manual's table.
func readManual(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for line := range strings.SplitSeq(manual(t), "\n") {
		row := documented.FindStringSubmatch(line)
		if row == nil {
			if strings.HasPrefix(line, "| `"+namespace+"_") {
				t.Errorf("not a row: %s", line)
			}
			continue
		}
		if _, twice := found[row[1]]; twice {
			t.Errorf("%s is listed twice", row[1])
		}
		found[row[1]] = sorted(strings.NewReplacer("`", "", " ", "").Replace(row[2]))
	}
	return found
}

// readCode returns the labels of each metric of our own.
func readCode(t *testing.T) map[string]string {
	t.Helper()
	descs := make(chan *prometheus.Desc)
	m := whole(&scene{})
	go func() {
		m.registry.Describe(descs)
		close(descs)
	}()
	found := map[string]string{}
	for d := range descs {
		if !strings.Contains(d.String(), `"`+namespace+"_") {
			continue
		}
		parts := described.FindStringSubmatch(d.String())
		if parts == nil {
			t.Errorf("cannot read %s", d)
			continue
		}
		found[parts[1]] = sorted(parts[3])
		if parts[2] == "" {
			t.Errorf("%s has no help", parts[1])
		}
	}
	return found
}

func sorted(list string) string {
	labels := strings.Split(list, ",")
	slices.Sort(labels)
	return strings.Join(labels, ",")
}
