package kubectl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The verdicts of plugins and rules in shadow have a line each, and rules no row of the table. A controller of an earlier version has no rules.
func TestPluginInShadow(t *testing.T) {
	metrics, err := parseMetrics(someMetrics + `frameworkcontroller_plugin_shadow_verdicts_total{outcome="same",plugin="rules"} 30
frameworkcontroller_plugin_shadow_verdicts_total{outcome="other_type",plugin="rules"} 2
frameworkcontroller_plugin_shadow_verdicts_total{outcome="unanswered",plugin="rules"} 1
frameworkcontroller_plugin_shadow_verdicts_total{outcome="no_opinion",plugin="",rule="221"} 32
frameworkcontroller_plugin_shadow_verdicts_total{outcome="other_code",plugin="",rule="221"} 1
frameworkcontroller_plugin_shadow_verdicts_total{outcome="same",plugin="nodes",rule=""} 4
`)
	require.NoError(t, err)
	rows := pluginRows{}
	rows.addMetrics(metrics)
	if len(rows) != 1 {
		t.Errorf("%d rows", len(rows))
	}
	var out strings.Builder
	require.NoError(t, shadowVerdictsOf(metrics).print(&out))
	const want = `Plugin nodes in shadow, of 4 failures: 4 the same.
Plugin rules in shadow, of 33 failures: 30 the same, 2 with another type, 1 without an answer.
Rule 221 in shadow, of 33 failures: 1 with another code, 32 without an opinion.
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}
