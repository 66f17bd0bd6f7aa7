package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

const defaultManifest = "test/demo/demo.yaml"

// demo shows the life of one Framework on a cluster of its own, and leaves nothing behind when it returns.
func demo(ctx context.Context, args []string) error {
	path := defaultManifest
	if len(args) > 0 && args[0] != "" {
		path = args[0]
	}
	m, err := readManifest(path)
	if err != nil {
		return err
	}
	r, err := cluster.Quickest(ctx)
	if err != nil {
		return err
	}
	c, err := cluster.Start(ctx, cluster.Options{Nodes: nodes, Release: r, Log: os.Stdout})
	if err != nil {
		return err
	}
	defer cleanUp(c)
	h, err := startHistory(c, filepath.Join(c.Dir, "history.db"))
	if err != nil {
		return err
	}
	return withController(ctx, c, h, func(ctx context.Context) error {
		return show(ctx, c, h, m)
	})
}

// cleanUp reports its own error: the error of the demo, possibly an interrupt, is separate.
func cleanUp(c *cluster.Cluster) {
	fmt.Println("cleaning up")
	if err := c.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
}

// withController runs do beside the controller. If the controller ends first, the context of do is cancelled and the error gives the
// reason.
func withController(ctx context.Context, c *cluster.Cluster, h past, do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	log, err := os.Create(controllerLog(c))
	if err != nil {
		return err
	}
	defer log.Close()
	fmt.Println("starting the controller")
	controller, err := startController(ctx, c, log, h.plugin())
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cancel(endedEarly(<-controller, log.Name()))
	}()
	err = do(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	cancel(nil)
	<-ended
	return err
}

// endedEarly quotes the log, because it is removed with the cluster.
func endedEarly(err error, log string) error {
	text, _ := os.ReadFile(log)
	const most = 2000
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return fmt.Errorf("the controller ended: %v, after it logged\n%s", err, text)
}

func controllerLog(c *cluster.Cluster) string { return filepath.Join(c.Dir, "controller.log") }

// show applies the manifest, prints what its Framework asks for and its progress until it has completed, leaves time to look, and asks the
// history in the end.
func show(ctx context.Context, c *cluster.Cluster, h past, m manifest) error {
	p := newPaper(os.Stdout)
	p.heading("$ kubectl apply -f " + m.path)
	if err := apply(ctx, c, m.path); err != nil {
		return err
	}
	p.begin()
	if err := follow(ctx, c, m, p); err != nil {
		return err
	}
	if err := explainEnd(ctx, c, m, p); err != nil {
		return err
	}
	tryNext(c, m, p)
	waitForEnter(ctx)
	return h.show(ctx, c, m, p)
}

// explainEnd runs the built plugin of kubectl.
func explainEnd(ctx context.Context, c *cluster.Cluster, m manifest, p *paper) error {
	p.heading(fmt.Sprintf("$ kubectl framework explain %s -n %s", m.name, m.namespace))
	output, err := c.Command(ctx, "bin/kubectl-framework", "explain", m.name, "-n", m.namespace).CombinedOutput()
	p.text(strings.TrimRight(string(output), "\n"))
	return err
}

// tryNext suggests commands: while this cluster is up, if a user is at the terminal, and in any case.
func tryNext(c *cluster.Cluster, m manifest, p *paper) {
	p.heading("What to try next")
	if interactive() {
		p.text("  In another terminal, as long as this cluster is up:",
			"    export KUBECONFIG="+c.Kubeconfig+" PATH=$PWD/bin:$PWD/bin/tools:$PATH",
			"    kubectl framework tree "+m.name+" -n "+m.namespace,
			"    kubectl describe fw "+m.name+" -n "+m.namespace,
			"    less "+controllerLog(c))
	}
	p.text("  make demo FRAMEWORK=example/framework/batchfailedpermanent.yaml   how one fails; example/README.md has more",
		"  make cluster-up, and make run in another terminal                 a cluster that stays, for your own Frameworks",
		"  docs/tasks/write-a-plugin.md                                      what a failure means, in five lines")
}

// interactive reports whether a user is at the terminal.
func interactive() bool { return term.IsTerminal(int(os.Stdin.Fd())) }

// waitForEnter returns at once if no user is at the terminal.
func waitForEnter(ctx context.Context) {
	if !interactive() {
		return
	}
	fmt.Println("\npress Enter to clean up")
	enter := make(chan struct{})
	go func() {
		bufio.NewReader(os.Stdin).ReadString('\n')
		close(enter)
	}()
	select {
	case <-enter:
	case <-ctx.Done():
	}
}
