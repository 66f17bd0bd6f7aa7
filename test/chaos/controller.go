package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// controller is the process under test. It is killed and started again by several.
type controller struct {
	cluster *cluster.Cluster
	binary  string
	dir     string // work dir
	log     string // of all runs

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process has ended
	asked bool          // we have ended it
	fault chan error    // receives when it has ended by itself
}

// delays are as short as they may be, so that what waits for them does not outlast the run.
const delays = `
frameworkMinRetryDelaySecForTransientConflictFailed: 1
frameworkMaxRetryDelaySecForTransientConflictFailed: 2
objectLocalCacheCreationTimeoutSec: 60
`

// newController prepares to run the controller with its default configuration, connected to that address.
func newController(c *cluster.Cluster, binary, address, log string) (*controller, error) {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	p := &controller{cluster: c, binary: binary, dir: filepath.Join(c.Dir, "controller"), log: log, fault: make(chan error, 1)}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(p.dir, "kubeconfig")
	if err := clientcmd.WriteToFile(kubeconfigFor(address), kubeconfig); err != nil {
		return nil, err
	}
	shipped, err := os.ReadFile(filepath.Join("example", "config", "default", "frameworkcontroller.yaml"))
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%s%s\nkubeConfigFilePath: %s\n", shipped, delays, kubeconfig)
	return p, os.WriteFile(filepath.Join(p.dir, "frameworkcontroller.yaml"), []byte(text), 0o644)
}

func kubeconfigFor(address string) clientcmdapi.Config {
	return clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"chaos": {Server: address}},
		Contexts:       map[string]*clientcmdapi.Context{"chaos": {Cluster: "chaos"}},
		CurrentContext: "chaos",
	}
}

func (p *controller) start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	cmd := p.cluster.Command(context.Background(), p.binary, "-v=4")
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the controller: %w", err)
	}
	p.cmd, p.ended, p.asked = cmd, make(chan struct{}), false
	go p.wait(cmd, p.ended)
	return nil
}

func (p *controller) wait(cmd *exec.Cmd, ended chan struct{}) {
	err := cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked {
		p.report(fmt.Errorf("the controller has ended by itself (%v); see %s", err, p.log))
	}
	close(ended)
}

// report keeps the first of such ends.
func (p *controller) report(err error) {
	select {
	case p.fault <- err:
	default:
	}
}

// failed says how the process ended, if it has by itself.
func (p *controller) failed() error {
	select {
	case err := <-p.fault:
		p.fault <- err
		return err
	default:
		return nil
	}
}

// end sends a signal, and returns when the process has ended.
func (p *controller) end(signal os.Signal) {
	p.mu.Lock()
	p.asked = true
	cmd, ended := p.cmd, p.ended
	p.mu.Unlock()
	cmd.Process.Signal(signal)
	<-ended
}

// plugins are the processes that the controller has started, whichever of its threads it was.
func (p *controller) plugins() (out []int) {
	p.mu.Lock()
	parent := p.cmd.Process.Pid
	p.mu.Unlock()
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}
