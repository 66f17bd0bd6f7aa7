package kubectl

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// pluginKey identifies a plugin of the configuration. One process may serve several kinds.
type pluginKey struct{ name, kind string }

// pluginRow has the known facts about a plugin; unknown ones are empty.
type pluginRow struct {
	version                            string // version in its latest decision
	state, questions, faults, restarts string
	decided                            int
	decidedAt                          time.Time
	frameworks                         map[types.NamespacedName]time.Time // time of its last decision on each
}

type pluginRows map[pluginKey]*pluginRow

func (r pluginRows) row(name string, kind plugin.Kind) *pluginRow {
	key := pluginKey{name, string(kind)}
	if r[key] == nil {
		r[key] = &pluginRow{frameworks: map[types.NamespacedName]time.Time{}}
	}
	return r[key]
}

// addDecisions adds the decisions in the statuses.
func (r pluginRows) addDecisions(frameworks []*stored) {
	for _, s := range frameworks {
		if s.Status == nil {
			continue
		}
		a := &s.Status.AttemptStatus
		if a.CompletionStatus != nil {
			r.addDecision(s, a.CompletionStatus.Source, plugin.KindCompletionPolicy, s.Status.TransitionTime.Time)
		}
		if h := a.SchedulerHints; h != nil {
			r.addDecision(s, &v1.CompletionSource{Plugin: h.Plugin, Version: h.Version}, plugin.KindSchedulerHints, a.StartTime.Time)
		}
		for _, role := range a.TaskRoleStatuses {
			for i := range role.TaskStatuses {
				if t := &role.TaskStatuses[i]; t.AttemptStatus.CompletionStatus != nil {
					r.addDecision(s, t.AttemptStatus.CompletionStatus.Source, plugin.KindFailureClassifier, t.TransitionTime.Time)
				}
			}
		}
	}
}

func (r pluginRows) addDecision(s *stored, by *v1.CompletionSource, kind plugin.Kind, at time.Time) {
	if by == nil || by.Plugin == "" || by.Plugin == v1.SourceKubernetes { // hints have no plugin if no plugin had an opinion
		return
	}
	row := r.row(by.Plugin, kind)
	if !at.Before(row.decidedAt) {
		row.version, row.decidedAt = cmp.Or(by.Version, row.version), at
	}
	row.decided++
	name := types.NamespacedName{Namespace: s.Namespace, Name: s.Name}
	if last, known := row.frameworks[name]; !known || at.After(last) {
		row.frameworks[name] = at
	}
}

// mostFrameworks limits how many Frameworks are named for a plugin.
const mostFrameworks = 3

// latest returns the Frameworks of a plugin's latest decisions, sorted by name, with namespaces if allNamespaces is set.
func (r *pluginRow) latest(allNamespaces bool) []string {
	last := slices.Collect(maps.Keys(r.frameworks))
	slices.SortFunc(last, func(a, b types.NamespacedName) int {
		return cmp.Or(r.frameworks[b].Compare(r.frameworks[a]), cmp.Compare(a.String(), b.String()))
	})
	var names []string
	for _, name := range last[:min(len(last), mostFrameworks)] {
		if allNamespaces {
			names = append(names, name.String())
		} else {
			names = append(names, name.Name)
		}
	}
	slices.Sort(names)
	return names
}

// pluginMetrics are the metrics of a controller about its plugins, by their names after the prefix. A controller that does not
// lead runs no plugins and has none.
type pluginMetrics map[string][]*dto.Metric

const pluginPrefix = "frameworkcontroller_plugin_"

func parseMetrics(text string) (pluginMetrics, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the answer is not in the format of Prometheus: %w", err)
	}
	out := pluginMetrics{}
	for name, family := range families {
		if about, ok := strings.CutPrefix(name, pluginPrefix); ok {
			out[about] = family.GetMetric()
		}
	}
	return out, nil
}

// addMetrics adds the metrics of the controller. Counters with labels of their own are added up.
func (r pluginRows) addMetrics(metrics pluginMetrics) {
	each := func(name string, add func(row *pluginRow, state string, value float64)) {
		for _, m := range metrics[name] {
			labels := labelsOf(m)
			add(r.row(labels["plugin"], plugin.Kind(labels["kind"])), labels["state"], sampleOf(m))
		}
	}
	each("state", func(row *pluginRow, state string, value float64) {
		if value == 1 {
			row.state = state
		}
	})
	each("up", func(row *pluginRow, _ string, _ float64) { // a plugin that was never asked has no counters
		row.questions, row.faults, row.restarts = "0", "0", "0"
	})
	each("questions_total", func(row *pluginRow, _ string, value float64) { row.questions = sum(row.questions, value) })
	each("faults_total", func(row *pluginRow, _ string, value float64) { row.faults = sum(row.faults, value) })
	each("restarts_total", func(row *pluginRow, _ string, value float64) { row.restarts = sum(row.restarts, value) })
}

func labelsOf(m *dto.Metric) map[string]string {
	labels := map[string]string{}
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	return labels
}

// sampleOf returns the value of a counter or gauge, even if the type of the metric is not given.
func sampleOf(m *dto.Metric) float64 {
	return m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetUntyped().GetValue()
}

func sum(before string, value float64) string {
	n, _ := strconv.ParseFloat(cmp.Or(before, "0"), 64)
	return strconv.FormatFloat(n+value, 'f', 0, 64)
}
