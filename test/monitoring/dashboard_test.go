package monitoring

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// dashboard has the queries of all panels, and the ones that have shown something.
type dashboard struct {
	queries []panelQuery
	seen    map[panelQuery]bool
}

type panelQuery struct{ panel, expr string }

func readDashboard(t *testing.T) *dashboard {
	t.Helper()
	text, err := os.ReadFile("../../deploy/chart/monitoring/dashboard.json")
	require.NoError(t, err)
	var model struct {
		Panels []struct {
			Title, Type string
			Targets     []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &model))
	d := &dashboard{seen: map[panelQuery]bool{}}
	for _, p := range model.Panels {
		require.True(t, p.Type == "row" || len(p.Targets) > 0, "panel %s has no query", p.Title)
		for _, target := range p.Targets {
			d.queries = append(d.queries, panelQuery{p.Title, target.Expr})
		}
	}
	require.NotEmpty(t, d.queries)
	return d
}

// look runs the queries of the panels. An invalid query ends the test.
func (d *dashboard) look(p *prometheus) {
	p.t.Helper()
	for _, q := range d.queries {
		expr := strings.ReplaceAll(strings.ReplaceAll(q.expr, "$job", "frameworkcontroller"), "[5m]", "[30s]")
		if !d.seen[q] && p.series(expr) > 0 {
			d.seen[q] = true
		}
	}
}

func (d *dashboard) requireAllSeen(t *testing.T) {
	t.Helper()
	for _, q := range d.queries {
		if !d.seen[q] {
			t.Errorf("panel %s never showed anything: %s", q.panel, q.expr)
		}
	}
}

var metric = regexp.MustCompile(`frameworkcontroller_[a-z_]+`)

// The manual lists the metrics in the queries of the dashboard and of the alerts.
func TestQueriesNameMetrics(t *testing.T) {
	rows := page.Rows(page.Read(t, "../../docs/reference/metrics.md"))
	listed := func(name string) bool {
		return slices.ContainsFunc(rows, func(row []string) bool { return row[0] == "`"+name+"`" })
	}
	var queries []string
	for _, q := range readDashboard(t).queries {
		queries = append(queries, q.expr)
	}
	for _, g := range readRules(t) {
		for _, r := range g.Rules {
			queries = append(queries, r.Expr)
		}
	}
	for _, q := range queries {
		for _, name := range metric.FindAllString(q, -1) {
			base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count"), "_sum")
			if !listed(name) && !listed(base) {
				t.Errorf("there is no metric %s, in %s", name, q)
			}
		}
	}
}
