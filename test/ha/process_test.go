package ha

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// process is a controller, which calls itself by a name of its own to the API server.
type process struct {
	t       *testing.T
	name    string
	cmd     *exec.Cmd
	log     string
	address string // of its probes
	ended   chan struct{}
	endedAt time.Time // once it has
}

var started int // processes

// startController starts one that runs until the test ends. Its requests go to that server; empty for the API server.
func startController(t *testing.T, server string) *process {
	t.Helper()
	started++
	dir := t.TempDir()
	name := fmt.Sprintf("controller-%d", started)
	p := &process{t: t, name: name, log: filepath.Join(dir, "log"), ended: make(chan struct{})}
	if err := os.WriteFile(filepath.Join(dir, "frameworkcontroller.yaml"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p.cmd = kube.Command(context.Background(), binary,
		"--leader-elect", "--leader-elect-namespace=kube-system", "--http-address=127.0.0.1:0")
	p.cmd.Env = append(p.cmd.Env, "KUBECONFIG="+p.kubeconfig(server))
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		p.endedAt = time.Now()
		close(p.ended)
	}()
	t.Cleanup(p.stop)
	p.eventually("it serves probes", func() bool {
		p.address = clustertest.AddressIn(p.text())
		return p.address != ""
	})
	return p
}

// startPair starts two, of which the first leads and the other is ready to.
func startPair(t *testing.T, server string) (leader, standby *process) {
	t.Helper()
	leader = startController(t, server)
	leader.awaitReady("leading")
	standby = startController(t, "")
	standby.awaitReady("standing by")
	return leader, standby
}

// kubeconfig has the API server told its name, and reach it at that address; empty for the API server's own.
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

// stop ends it at once, and shows its log if the test has failed.
func (p *process) stop() {
	_ = p.cmd.Process.Kill()
	<-p.ended
	if p.t.Failed() {
		text := p.text()
		p.t.Logf("the log of %s:\n%s", p.name, text[max(0, len(text)-6000):])
	}
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// awaitEnd wants that it ends with that code.
func (p *process) awaitEnd(within time.Duration, code int) {
	p.t.Helper()
	select {
	case <-p.ended:
		if got := p.cmd.ProcessState.ExitCode(); got != code {
			p.t.Errorf("%s ended with code %d, want %d", p.name, got, code)
		}
	case <-time.After(within):
		p.t.Errorf("%s has not ended within %s", p.name, within)
	}
}

func (p *process) text() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (p *process) get(path string) (code int, body string) {
	return clustertest.GetFrom(p.address, path)
}

// awaitReady waits until it is ready, and what it says of its part begins like that.
func (p *process) awaitReady(part string) {
	p.t.Helper()
	p.eventually("it is ready, "+part, func() bool {
		code, body := p.get("/readyz?verbose")
		return code == http.StatusOK && strings.Contains(body, "[+]leader ok: "+part)
	})
	want := "\nframeworkcontroller_leader 0\n"
	if part == "leading" {
		want = "\nframeworkcontroller_leader 1\n"
	}
	if _, page := p.get("/metrics"); !strings.Contains(page, want) {
		p.t.Errorf("the metrics of %s, which is %s, do not say%s", p.name, part, want)
	}
}

func (p *process) eventually(what string, is func() bool) {
	p.t.Helper()
	eventually(p.t, p.name+": "+what, func() bool {
		select {
		case <-p.ended:
			p.t.Fatalf("%s has ended before: %s", p.name, what)
		default:
		}
		return is()
	})
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
