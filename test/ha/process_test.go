package ha

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// process is a controller, which calls itself by a name of its own to the API server.
type process struct {
	*clustertest.Controller
	t    *testing.T
	name string
}

var started int // processes

// startController starts a controller that runs until the test ends. Its requests go to that server; empty for the API server.
func startController(t *testing.T, server string) *process {
	t.Helper()
	started++
	p := &process{t: t, name: fmt.Sprintf("controller-%d", started)}
	p.Controller = clustertest.StartController(t, kube, launch.Options{
		Binary: binary, Config: "{}", Env: []string{"KUBECONFIG=" + p.kubeconfig(server)},
		Args: []string{"--leader-elect", "--leader-elect-namespace=kube-system", "--http-address=127.0.0.1:0"},
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("next is the log of %s", p.name)
		}
	})
	p.AwaitAddress(patience)
	return p
}

// startPair starts two controllers: the first leads, the other stands by.
func startPair(t *testing.T, server string) (leader, standby *process) {
	t.Helper()
	leader = startController(t, server)
	leader.awaitReady("leading")
	standby = startController(t, "")
	standby.awaitReady("standing by")
	return leader, standby
}

// kubeconfig makes the API server see the controller's name, and is for that address; empty for the API server's own.
func (p *process) kubeconfig(server string) string {
	p.t.Helper()
	return clustertest.Kubeconfig(p.t, kube, func(config *api.Config) {
		for _, who := range config.AuthInfos {
			who.Impersonate, who.ImpersonateGroups = p.name, []string{"system:masters"}
		}
		for _, c := range config.Clusters {
			c.Server = cmp.Or(server, c.Server)
		}
	})
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.Signal(s))
}

// awaitEnd requires that the controller ends with that code.
func (p *process) awaitEnd(within time.Duration, code int) {
	p.t.Helper()
	select {
	case <-p.Ended():
		if got := p.ExitCode(); got != code {
			p.t.Errorf("%s ended with code %d, want %d", p.name, got, code)
		}
	case <-time.After(within):
		p.t.Errorf("%s has not ended within %s", p.name, within)
	}
}

// awaitReady waits until the controller is ready, with a leader check that begins with that text.
func (p *process) awaitReady(part string) {
	p.t.Helper()
	p.eventually("it is ready, "+part, func() bool {
		code, body := p.Get("/readyz?verbose")
		return code == http.StatusOK && strings.Contains(body, "[+]leader ok: "+part)
	})
	want := "\nframeworkcontroller_leader 0\n"
	if part == "leading" {
		want = "\nframeworkcontroller_leader 1\n"
	}
	if _, page := p.Get("/metrics"); !strings.Contains(page, want) {
		p.t.Errorf("the metrics of %s, which is %s, do not say%s", p.name, part, want)
	}
}

func (p *process) eventually(what string, is func() bool) {
	p.t.Helper()
	p.Await(patience, p.name+": "+what, is)
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	clustertest.Eventually(t, patience, clustertest.Holds(what, is))
}
