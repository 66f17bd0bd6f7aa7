package metrics

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// controller is a controller that runs until its test ends.
type controller struct {
	*clustertest.Controller
	t *testing.T
}

// configuration has a plugin that works, and one that does not.
const configuration = `
podFailureSpec:
- {code: 7, phrase: Seven, type: {attributes: [Transient]}, podPatterns: [{containers: [{codeRange: {min: 7, max: 7}}]}]}
plugins:
- {name: podpattern, kind: FailureClassifier, command: classifier-podpattern}
- {name: absent, kind: CompletionPolicy, command: no-such-plugin, timeout: 100ms}
`

// startController starts one whose requests go through the proxy.
func startController(t *testing.T) *controller {
	t.Helper()
	c := &controller{t: t, Controller: clustertest.StartController(t, kube, launch.Options{
		Binary: binary, Config: configuration, Args: []string{"--http-address=127.0.0.1:0"},
		Env: []string{"KUBECONFIG=" + throughProxy(t)},
	})}
	t.Cleanup(func() {
		if t.Failed() {
			c.tellState()
		}
		if err := c.stop(); err != nil {
			t.Errorf("the controller ended with %v", err)
		}
	})
	c.AwaitAddress(patience)
	return c
}

// stop asks it to end, and waits until it has.
func (c *controller) stop() error {
	_, err := c.Terminate(patience)
	return err
}

// throughProxy returns the path of a kubeconfig whose server is the proxy.
func throughProxy(t *testing.T) string {
	t.Helper()
	return clustertest.Kubeconfig(t, kube, func(config *api.Config) {
		for _, c := range config.Clusters {
			c.Server = road.URL()
		}
	})
}

// says waits until a probe answers with that code and a text that contains all those texts. Meanwhile the process must count as alive: a
// restart solves no problem of the API server.
func (c *controller) says(probe string, code int, texts ...string) {
	c.t.Helper()
	c.eventually(probe+" is as wanted", func() bool {
		if alive, body := c.Get("/healthz"); alive != http.StatusOK {
			c.t.Fatalf("the process does not count as alive: %s", body)
		}
		got, body := c.Get(probe)
		if got != code {
			return false
		}
		for _, text := range texts {
			if !strings.Contains(body, text) {
				return false
			}
		}
		return true
	})
}

// has waits until the metrics have all these lines.
func (c *controller) has(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		c.eventually(line, func() bool {
			_, page := c.Get("/metrics")
			return strings.Contains(page, "\nframeworkcontroller_"+line+"\n")
		})
	}
}

// grows waits until a metric, with its labels, is above 0.
func (c *controller) grows(series string) {
	c.t.Helper()
	above := regexp.MustCompile(`(?m)^frameworkcontroller_` + regexp.QuoteMeta(series) + ` [0-9.e+]*[1-9]`)
	c.eventually(series, func() bool {
		_, page := c.Get("/metrics")
		return above.MatchString(page)
	})
}

func (c *controller) eventually(what string, is func() bool) {
	c.t.Helper()
	c.Await(patience, what, is)
}

// tellState logs its probes and metrics.
func (c *controller) tellState() {
	for _, path := range []string{"/readyz?verbose", "/healthz?verbose", "/metrics"} {
		_, body := c.Get(path)
		for line := range strings.Lines(body) {
			if path != "/metrics" || strings.HasPrefix(line, "frameworkcontroller_") {
				c.t.Log(strings.TrimSuffix(line, "\n"))
			}
		}
	}
}
