package main

import (
	"fmt"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// account returns what the running controllers have counted.
func (s *stage) account() (checker.ShadowAccount, error) {
	a := checker.ShadowAccount{Since: s.losses.last(), Unanswered: map[string]int{"plugin " + pluginName: 0, fmt.Sprint("rule ", ruleCode): 0}}
	for _, life := range s.controllers.running() {
		code, text := clustertest.GetFrom(clustertest.AddressIn(life.Text()), "/metrics")
		if code != 200 {
			return a, fmt.Errorf("reading the metrics of a controller: %d %s", code, text)
		}
		if err := addMetrics(&a, text); err != nil {
			return a, err
		}
	}
	return a, nil
}

func addMetrics(a *checker.ShadowAccount, text string) error {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return fmt.Errorf("the answer is not in the format of Prometheus: %w", err)
	}
	for _, m := range families["frameworkcontroller_history_records_dropped_total"].GetMetric() {
		a.Dropped += int(m.GetCounter().GetValue())
	}
	for _, m := range families["frameworkcontroller_plugin_shadow_verdicts_total"].GetMetric() {
		by := "plugin " + label(m, "plugin")
		if rule := label(m, "rule"); rule != "" {
			by = "rule " + rule
		}
		if label(m, "outcome") == "unanswered" {
			a.Unanswered[by] += int(m.GetCounter().GetValue())
		}
	}
	return nil
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}
