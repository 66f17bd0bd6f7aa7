package main

import (
	"reflect"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

// Only what was not answered or dropped explains that a verdict is missing.
func TestAddMetrics(t *testing.T) {
	a := checker.ShadowAccount{Unanswered: map[string]int{"plugin contrary": 1}}
	err := addMetrics(&a, `# TYPE frameworkcontroller_history_records_dropped_total counter
frameworkcontroller_history_records_dropped_total 4
# TYPE frameworkcontroller_plugin_shadow_verdicts_total counter
frameworkcontroller_plugin_shadow_verdicts_total{outcome="same",plugin="contrary",rule=""} 30
frameworkcontroller_plugin_shadow_verdicts_total{outcome="unanswered",plugin="contrary",rule=""} 2
frameworkcontroller_plugin_shadow_verdicts_total{outcome="unanswered",plugin="",rule="882"} 5
`)
	want := checker.ShadowAccount{Unanswered: map[string]int{"plugin contrary": 3, "rule 882": 5}, Dropped: 4}
	if err != nil || !reflect.DeepEqual(a, want) {
		t.Errorf("got %+v, %v", a, err)
	}
	if addMetrics(&a, "<html>\n") == nil {
		t.Error("a page is read as metrics")
	}
}
