package metrics

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// controller is one that runs until its test ends.
type controller struct {
	t       *testing.T
	log     string // path
	address string
	stop    func() error // asks it to end, and waits until it has
	ended   chan struct{}
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
	c := &controller{t: t, log: filepath.Join(t.TempDir(), "log"), ended: make(chan struct{})}
	file := filepath.Join(t.TempDir(), "frameworkcontroller.yaml")
	if err := os.WriteFile(file, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(c.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := kube.Command(context.Background(), binary, "--config", file, "--http-address", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "KUBECONFIG="+throughProxy(t))
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var how error
	go func() {
		how = cmd.Wait()
		close(c.ended)
	}()
	c.stop = func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM) // fails if it has ended
		<-c.ended
		return how
	}
	t.Cleanup(func() {
		if err := c.stop(); err != nil {
			t.Errorf("the controller ended with %v", err)
		}
		if t.Failed() {
			t.Log(c.text())
		}
	})
	c.eventually("the log names the address", func() bool {
		c.address = clustertest.AddressIn(c.text())
		return c.address != ""
	})
	return c
}

// throughProxy returns the path of a kubeconfig whose server is the proxy.
func throughProxy(t *testing.T) string {
	t.Helper()
	return clustertest.Kubeconfig(t, kube, func(config *api.Config) {
		for _, c := range config.Clusters {
			c.Server = "https://" + road.address
		}
	})
}

func (c *controller) text() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// get returns an answer, and 0 if there is none.
func (c *controller) get(path string) (code int, body string) {
	return clustertest.GetFrom(c.address, path)
}

// says waits until a probe answers with that code and a text that holds all those. Meanwhile the process must count as
// alive: nothing that happens to the API server is mended by a restart.
func (c *controller) says(probe string, code int, texts ...string) {
	c.t.Helper()
	c.eventually(probe+" is as wanted", func() bool {
		if alive, body := c.get("/healthz"); alive != http.StatusOK {
			c.t.Fatalf("the process does not count as alive: %s", body)
		}
		got, body := c.get(probe)
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

// has waits until the metrics have all those lines.
func (c *controller) has(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		c.eventually(line, func() bool {
			_, page := c.get("/metrics")
			return strings.Contains(page, "\nframeworkcontroller_"+line+"\n")
		})
	}
}

// grows waits until a metric, with its labels, is above 0.
func (c *controller) grows(series string) {
	c.t.Helper()
	above := regexp.MustCompile(`(?m)^frameworkcontroller_` + regexp.QuoteMeta(series) + ` [0-9.e+]*[1-9]`)
	c.eventually(series, func() bool {
		_, page := c.get("/metrics")
		return above.MatchString(page)
	})
}

func (c *controller) eventually(what string, is func() bool) {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	for !is() {
		select {
		case <-c.ended:
			c.t.Fatalf("the controller has ended before: %s", what)
		default:
		}
		if time.Now().After(deadline) {
			var state bytes.Buffer
			for _, path := range []string{"/readyz?verbose", "/healthz?verbose"} {
				_, body := c.get(path)
				state.WriteString(body)
			}
			_, page := c.get("/metrics")
			name, _, _ := strings.Cut(what, "{")
			for line := range strings.Lines(page) {
				if strings.HasPrefix(line, "frameworkcontroller_"+name) {
					state.WriteString(line)
				}
			}
			c.t.Fatalf("not within %s: %s\n%s", patience, what, &state)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
