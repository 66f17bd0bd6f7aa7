package history

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// patience is how long a story waits for something that takes seconds on an idle machine.
var patience = machine.Within(time.Minute)

// The stories share these.
var (
	kube                        *cluster.Cluster
	core                        kubernetes.Interface
	frameworks                  versioned.Interface
	controller, server, kubectl string // programs
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: 3}); err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return err
	}
	if controller, err = clustertest.Install(ctx, s.Dir, clustertest.ControllerProgram); err != nil {
		return err
	}
	if _, err = clustertest.Install(ctx, s.Dir, clustertest.PluginPrograms); err != nil {
		return err
	}
	if server, err = clustertest.Install(ctx, s.Dir, clustertest.HistoryProgram); err != nil {
		return err
	}
	kubectl, err = clustertest.Install(ctx, s.Dir, clustertest.KubectlProgram)
	return err
}

// site is a history server with its database, and a controller that sends to it. Both may be killed and started again.
type site struct {
	t         *testing.T
	framework string // its name
	dir       string
	address   string // address of the server
	sink      string // its configuration beside the URL
	more      string // configuration of the controller beside the sink: further plugins come first
	server    *launch.Process
	leader    *launch.Process
}

// newSite starts one whose sink has a spool, and is waited for.
func newSite(t *testing.T, more ...string) *site {
	t.Helper()
	dir := t.TempDir()
	return newSiteIn(t, dir, `failurePolicy: Wait, parameters: {spoolDirectory: "`+filepath.Join(dir, "spool")+`", url: `, more...)
}

// newSiteIn starts one whose sink has a configuration that ends before the URL of the server.
func newSiteIn(t *testing.T, dir, sink string, more ...string) *site {
	t.Helper()
	address, err := launch.FreeAddress()
	require.NoError(t, err)
	s := &site{t: t, framework: strings.ToLower(t.Name()), dir: dir, address: address, sink: sink, more: strings.Join(more, "\n")}
	s.startServer()
	s.startController()
	t.Cleanup(func() {
		s.leader.Kill()
		s.server.Kill()
		if t.Failed() {
			t.Logf("the controller's log:\n%s\nthe server's log:\n%s", s.leader.Tail(6000), s.server.Tail(4000))
		}
	})
	return s
}

func (s *site) url() string { return "http://" + s.address }

func (s *site) startServer() {
	s.t.Helper()
	p, err := launch.History(kube, launch.Options{Binary: server, Dir: s.dir, Log: filepath.Join(s.dir, "server.log")},
		s.address, filepath.Join(s.dir, "history.db"))
	require.NoError(s.t, err)
	s.server = p
}

func (s *site) startController() {
	s.t.Helper()
	p, err := launch.Controller(kube, launch.Options{Binary: controller, Dir: filepath.Join(s.dir, "controller"), Config: `
plugins:
- {name: history, kind: HistorySink, command: history-remote, ` + s.sink + `"` + s.url() + `"}}
` + s.more, Args: []string{"--http-address=127.0.0.1:0"}})
	require.NoError(s.t, err)
	s.leader = p
}
