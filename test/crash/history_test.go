package crash

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// serveHistory starts the server that the sinks of all controllers send to. It ends with the cluster.
func serveHistory(ctx context.Context, s *clustertest.Setup) error {
	program, err := clustertest.Install(ctx, s.Dir, clustertest.HistoryProgram)
	if err != nil {
		return err
	}
	address, err := launch.FreeAddress()
	if err != nil {
		return err
	}
	historyURL = "http://" + address
	_, err = launch.History(kube, launch.Options{Binary: program, Dir: s.Dir, Log: filepath.Join(s.Dir, "history.log")}, address, filepath.Join(s.Dir, "history.db"))
	return err
}

// withSink is the configuration of a controller that waits for the history.
func withSink() string {
	return fmt.Sprintf("plugins:\n- {name: history, kind: HistorySink, command: history-remote, failurePolicy: Wait, parameters: {url: %q}}\n", historyURL)
}

// remembered returns how the history differs from the observations of the play; nil if it does not.
func (p *play) remembered(ctx context.Context, killed bool) error {
	m, err := checker.Remember(ctx, historyURL, p.namespace)
	if err != nil {
		return err
	}
	c := m.Check(recorder.History().In(p.namespace), killed)
	if len(c.Wrong) > 0 {
		return errors.New(strings.Join(c.Wrong, "\n"))
	}
	p.looked = c.Looked
	return nil
}
