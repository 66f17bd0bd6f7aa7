package browser

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

var rewrite = flag.Bool("rewrite", false, "write the screenshots anew")

// patience is how long a story waits for something that takes seconds on an idle machine.
var patience = machine.Within(2 * time.Minute)

// Shared by all stories.
var (
	kube                        *cluster.Cluster
	frameworks                  versioned.Interface
	controller, server, kubectl string // programs
	browser                     chromium
	missing                     string // why there are no tests; empty if there are
)

const modules = "../../bin/web/node_modules"

func TestMain(m *testing.M) {
	flag.Parse()
	browser, missing = findBrowser()
	if missing != "" { // no cluster for tests that skip
		os.Exit(m.Run())
	}
	clustertest.Main(m, prepare)
}

// findBrowser returns Chromium, or the reason why it or what drives it is missing.
func findBrowser() (found chromium, missing string) {
	if _, err := exec.LookPath("node"); err != nil {
		return found, "there is no Node.js"
	}
	if _, err := os.Stat(filepath.Join(modules, "playwright-core")); err != nil {
		return found, "there is no bin/web/node_modules: tools/web/generate.sh install"
	}
	found, err := findChromium()
	if err != nil {
		return found, err.Error()
	}
	return found, ""
}

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: sweepNodes}); err != nil {
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

// needBrowser skips the test without a browser.
func needBrowser(t *testing.T) {
	t.Helper()
	if missing != "" {
		t.Skip(missing)
	}
}

// serveHistory starts a server with the rows that fill adds to its database, and returns its address.
func serveHistory(t *testing.T, fill ...func(*store.Store)) string {
	t.Helper()
	address, err := launch.FreeAddress()
	require.NoError(t, err)
	dir := t.TempDir()
	for _, f := range fill {
		s, err := store.Open(t.Context(), store.Options{Database: filepath.Join(dir, "history.db"), Log: hclog.NewNullLogger()})
		require.NoError(t, err)
		f(s)
		require.NoError(t, s.Close())
	}
	p, err := launch.Program(kube, launch.Options{Binary: server, Dir: dir, Log: filepath.Join(dir, "server.log"),
		Args: []string{"serve", "--no-auth", "--address", address, "--database", filepath.Join(dir, "history.db")}})
	require.NoError(t, err)
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("the server's log:\n%s", p.Tail(4000))
		}
	})
	url := "http://" + address
	awaitServer(t, url)
	return url
}

// drive runs a part of drive.mjs, and reports its findings.
func drive(t *testing.T, part string, options map[string]any) {
	t.Helper()
	options["chromium"], options["environment"] = browser.path, browser.environment
	options["modules"], options["rewrite"] = modules, *rewrite
	options["slow"] = machine.Within(time.Second).Seconds()
	options["out"] = t.ArtifactDir()
	options["goldens"] = "../../docs/images/page"
	text, err := json.Marshal(options)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "drive.mjs", part, string(text))
	out, err := cmd.CombinedOutput()
	t.Logf("%s", strings.TrimSpace(string(out)))
	require.NoError(t, err)
}
