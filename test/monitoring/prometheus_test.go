package monitoring

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// prometheus is a Prometheus that runs until its test ends, and scrapes the given controllers each second.
type prometheus struct {
	t   *testing.T
	dir string
	url string
}

const settings = `
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [rules.yaml]
scrape_configs:
- job_name: frameworkcontroller
  file_sd_configs: [{files: [targets.json], refresh_interval: 1s}]
`

func startPrometheus(t *testing.T, rules []byte) *prometheus {
	t.Helper()
	p := &prometheus{t: t, dir: t.TempDir()}
	p.write("rules.yaml", rules)
	p.write("prometheus.yaml", []byte(settings))
	p.scrapes(nil)
	address, err := launch.FreeAddress()
	require.NoError(t, err)
	p.url = "http://" + address
	log, err := os.Create(filepath.Join(p.dir, "log"))
	require.NoError(t, err)
	defer log.Close()
	cmd := exec.Command(filepath.Join(programs, "usr/bin/prometheus"), "--config.file=prometheus.yaml", "--storage.tsdb.path=data", "--web.listen-address="+address)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, log, log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("the log of Prometheus:\n%s", text)
		}
	})
	p.await("Prometheus is ready", func() bool {
		answer, err := http.Get(p.url + "/-/ready")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return p
}

func (p *prometheus) write(name string, text []byte) {
	p.t.Helper()
	fresh := filepath.Join(p.dir, "."+name)
	require.NoError(p.t, os.WriteFile(fresh, text, 0o644))
	require.NoError(p.t, os.Rename(fresh, filepath.Join(p.dir, name)))
}

// scrapes names the controllers from now on: by a name that stays when the process is another, the address.
func (p *prometheus) scrapes(controllers map[string]string) {
	p.t.Helper()
	type group struct {
		Targets []string          `json:"targets"`
		Labels  map[string]string `json:"labels"`
	}
	groups := []group{}
	for name, address := range controllers {
		groups = append(groups, group{[]string{address}, map[string]string{"instance": name, "namespace": "frameworkcontroller"}})
	}
	text, err := json.Marshal(groups)
	require.NoError(p.t, err)
	p.write("targets.json", text)
}

// fires waits until all these alerts do.
func (p *prometheus) fires(alerts ...string) {
	p.t.Helper()
	for _, alert := range alerts {
		p.await(alert+" fires", func() bool { return p.stateOf(alert) == "firing" })
	}
}

// rests waits until an alert no longer fires.
func (p *prometheus) rests(alert string) {
	p.t.Helper()
	p.await(alert+" has ended", func() bool { return p.stateOf(alert) == "" })
}

// stateOf is pending or firing, or empty.
func (p *prometheus) stateOf(alert string) string {
	p.t.Helper()
	var found struct {
		Alerts []struct {
			Labels map[string]string
			State  string
		}
	}
	p.get("/api/v1/alerts", nil, &found)
	state := ""
	for _, a := range found.Alerts {
		if a.Labels["alertname"] == alert && state != "firing" {
			state = a.State
		}
	}
	return state
}

// series is how many series a query has.
func (p *prometheus) series(query string) int {
	p.t.Helper()
	var found struct{ Result []json.RawMessage }
	p.get("/api/v1/query", url.Values{"query": {query}}, &found)
	return len(found.Result)
}

func (p *prometheus) get(path string, query url.Values, data any) {
	p.t.Helper()
	answer, err := http.Get(p.url + path + "?" + query.Encode())
	require.NoError(p.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(p.t, err)
	require.Equal(p.t, http.StatusOK, answer.StatusCode, "%s %v: %s", path, query, text)
	require.NoError(p.t, json.Unmarshal(text, &struct{ Data any }{data}))
}

func (p *prometheus) await(what string, is func() bool) {
	p.t.Helper()
	clustertest.Eventually(p.t, patience, clustertest.Holds(what, is))
}
