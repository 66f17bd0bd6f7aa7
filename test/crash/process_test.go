package crash

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// process is one life of a controller.
type process struct {
	cmd   *exec.Cmd
	log   string        // path; of all lives in that folder
	ended chan struct{} // closed when it has
	once  sync.Once
	asked bool // by kill
}

// startProcess starts a controller with its default configuration. An empty kubeconfig is one of that server, which
// then asks for no credentials.
func startProcess(dir, server, kubeconfig string) (*process, error) {
	if kubeconfig == "" {
		kubeconfig = filepath.Join(dir, "kubeconfig")
		if err := clientcmd.WriteToFile(kubeconfigOf(server), kubeconfig); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "frameworkcontroller.yaml"), []byte(shortDelays), 0o600); err != nil {
		return nil, err
	}
	p := &process{log: filepath.Join(dir, "controller.log"), ended: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = kube.Command(context.Background(), binary, "-v=4")
	p.cmd.Env = append(p.cmd.Env, "KUBECONFIG="+kubeconfig)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

const shortDelays = "objectLocalCacheCreationTimeoutSec: 60\n"

func kubeconfigOf(server string) clientcmdapi.Config {
	return clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"proxy": {Server: server}},
		Contexts:       map[string]*clientcmdapi.Context{"proxy": {Cluster: "proxy"}},
		CurrentContext: "proxy",
	}
}

// kill returns when the process is dead.
func (p *process) kill() {
	p.once.Do(func() {
		select {
		case <-p.ended: // by itself
		default:
			p.asked = true
			_ = p.cmd.Process.Kill()
		}
	})
	<-p.ended
}

// endedByItself is for after kill.
func (p *process) endedByItself() bool { return !p.asked }

func (p *process) text() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-6000):])
}

func eventually(within time.Duration, is func() bool) bool {
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		if is() {
			return true
		}
	}
	return false
}
