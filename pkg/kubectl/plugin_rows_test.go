package kubectl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
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
	metrics, err := parseMetrics(someMetrics)
	require.NoError(t, err)
	rows.addMetrics(metrics)
	var out strings.Builder
	require.NoError(t, rows.print(&out, false))
	lines := strings.Split(out.String(), "\n")
	if got := strings.Join(strings.Fields(lines[1]), " "); got != "rules FailureClassifier Ready 12 3 4 0" {
		t.Errorf("got %q", got)
	}
	if len(rows) != 1 {
		t.Errorf("got %v", rows)
	}
}

// Frameworks of one name in two namespaces are different, and the version is the one of the last decision, whichever is listed last.
func TestPluginDecisions(t *testing.T) {
	decided := func(namespace, version string, at int64) *stored {
		s := &stored{Framework: v1.Framework{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "train"}, Status: &v1.FrameworkStatus{}}}
		s.Status.TransitionTime = metav1.Unix(at, 0)
		s.Status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{
			Source: &v1.CompletionSource{Plugin: "leader", Version: version}}}
		return s
	}
	rows := pluginRows{}
	none := &stored{Framework: v1.Framework{Status: &v1.FrameworkStatus{}}}
	none.Status.AttemptStatus.SchedulerHints = &v1.SchedulerHints{} // no plugin had an opinion
	rows.addDecisions([]*stored{none, decided("a", "1.2.0", 200), decided("b", "1.1.0", 100)})
	var out strings.Builder
	require.NoError(t, rows.print(&out, true))
	if got := strings.Join(strings.Fields(strings.Split(out.String(), "\n")[1]), " "); got != "leader CompletionPolicy 1.2.0 2 a/train,b/train" || len(rows) != 1 {
		t.Errorf("got %q of %d", got, len(rows))
	}
}

// A controller without running plugins has no metrics of plugins, and a page without metrics is an error.
func TestMetricsOfNoPlugins(t *testing.T) {
	if metrics, err := parseMetrics("frameworkcontroller_leader 0\n"); len(metrics) > 0 || err != nil {
		t.Errorf("%v, %v", metrics, err)
	}
	if _, err := parseMetrics("<html>\n"); err == nil || !strings.Contains(err.Error(), "format of Prometheus") {
		t.Errorf("of another page: %v", err)
	}
}
