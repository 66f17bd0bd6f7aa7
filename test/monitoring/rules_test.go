package monitoring

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// rule is an alert.
type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

type group struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

func readRules(t *testing.T) []group {
	t.Helper()
	text, err := os.ReadFile("../../deploy/chart/monitoring/rules.yaml")
	require.NoError(t, err)
	var file struct{ Groups []group }
	require.NoError(t, yaml.UnmarshalStrict(text, &file))
	return file.Groups
}

// atSpeed returns the rules with seconds in place of minutes, without any duration above half a minute.
func atSpeed(t *testing.T, groups []group) []byte {
	t.Helper()
	for g := range groups {
		for r := range groups[g].Rules {
			rule := &groups[g].Rules[r]
			rule.Expr = faster(rule.Expr)
			if rule.For != "" {
				lasts, err := time.ParseDuration(rule.For)
				require.NoError(t, err)
				rule.For = min(lasts/60, 30*time.Second).String()
			}
		}
	}
	text, err := json.Marshal(map[string]any{"groups": groups})
	require.NoError(t, err)
	return text
}

// faster makes a query look back seconds in place of minutes. The controller's own waits keep their length: a failed round is retried after
// 5 s, so five minutes become more than twice that. A window of half an hour becomes three minutes: controllers that take over from each
// other need their time to start.
func faster(query string) string {
	return strings.ReplaceAll(strings.ReplaceAll(query, "[5m]", "[12s]"), "[30m]", "[3m]")
}

// Prometheus' own checker accepts the rules, and each alert has a section in the manual.
func TestRules(t *testing.T) {
	need(t)
	output, err := exec.Command(filepath.Join(programs, "usr/bin/promtool"), "check", "rules", "--lint-fatal", "../../deploy/chart/monitoring/rules.yaml").CombinedOutput()
	require.NoError(t, err, "%s", output)

	sections := page.Headings(page.Read(t, "../../docs/operations/monitoring.md"))
	for _, g := range readRules(t) {
		for _, r := range g.Rules {
			if !slices.Contains(sections, r.Alert) {
				t.Errorf("docs/operations/monitoring.md has no section %s", r.Alert)
			}
			_, anchor, _ := strings.Cut(r.Annotations["runbook_url"], "docs/operations/monitoring.md#")
			require.Equal(t, page.Anchor(r.Alert), anchor, "the runbook of %s", r.Alert)
			require.NotEmpty(t, r.Annotations["summary"], r.Alert)
			require.NotEmpty(t, r.Annotations["description"], r.Alert)
			require.Contains(t, []string{"critical", "warning", "info"}, r.Labels["severity"], r.Alert)
		}
	}
}

// need skips a test without Prometheus.
func need(t *testing.T) {
	t.Helper()
	if missing != nil {
		t.Skip("there is no Prometheus: ", missing)
	}
}
