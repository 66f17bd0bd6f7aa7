package kubectl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const someMetrics = `# HELP frameworkcontroller_plugin_up 1 if the plugin runs
frameworkcontroller_plugin_up{kind="FailureClassifier",plugin="rules"} 1
frameworkcontroller_plugin_state{kind="FailureClassifier",plugin="rules",state="Ready"} 1
frameworkcontroller_plugin_state{kind="FailureClassifier",plugin="rules",state="Failing"} 0
frameworkcontroller_plugin_questions_total{kind="FailureClassifier",method="Classify",plugin="rules"} 12
frameworkcontroller_plugin_faults_total{kind="FailureClassifier",plugin="rules",reason="Timeout"} 2
frameworkcontroller_plugin_faults_total{kind="FailureClassifier",plugin="rules",reason="Crash"} 1
frameworkcontroller_plugin_restarts_total{kind="FailureClassifier",plugin="rules"} 4
frameworkcontroller_other{plugin="x"} 1
`

func TestPluginMetrics(t *testing.T) {
	rows := pluginRows{}
	rows.addMetrics(someMetrics)
	var out strings.Builder
	require.NoError(t, rows.print(&out))
	lines := strings.Split(out.String(), "\n")
	if got := strings.Join(strings.Fields(lines[1]), " "); got != "rules FailureClassifier Ready 12 3 4 0" {
		t.Errorf("got %q", got)
	}
	if len(rows) != 1 || !leads(someMetrics) || leads("frameworkcontroller_leader 0\n") {
		t.Errorf("got %v", rows)
	}
}
