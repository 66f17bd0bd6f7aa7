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

// demo shows the life of one Framework on a cluster of its own, of which nothing is left when it returns.
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
	return withController(ctx, c, func(ctx context.Context) error {
		return show(ctx, c, m)
	})
}

// cleanUp reports its own error: the one of the demo, possibly an interrupt, is another matter.
func cleanUp(c *cluster.Cluster) {
	fmt.Println("cleaning up")
	if err := c.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
}

// withController runs do beside the controller. If the controller ends first, the context of do is cancelled and
// the error says why it ended.
func withController(ctx context.Context, c *cluster.Cluster, do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	log, err := os.Create(controllerLog(c))
	if err != nil {
		return err
	}
	defer log.Close()
	fmt.Println("starting the controller")
	controller, err := startController(ctx, c, log)
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

// endedEarly quotes the log, since it goes with the cluster.
func endedEarly(err error, log string) error {
	text, _ := os.ReadFile(log)
	const most = 2000
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return fmt.Errorf("the controller ended: %v, after it logged\n%s", err, text)
}

func controllerLog(c *cluster.Cluster) string { return filepath.Join(c.Dir, "controller.log") }

// show applies the manifest, tells what its Framework wants and what becomes of it until it has completed, and leaves time to look.
func show(ctx context.Context, c *cluster.Cluster, m manifest) error {
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
	return nil
}

// explainEnd runs the plugin of kubectl, as it is built.
func explainEnd(ctx context.Context, c *cluster.Cluster, m manifest, p *paper) error {
	p.heading(fmt.Sprintf("$ kubectl framework explain %s -n %s", m.name, m.namespace))
	output, err := c.Command(ctx, "bin/kubectl-framework", "explain", m.name, "-n", m.namespace).CombinedOutput()
	p.text(strings.TrimRight(string(output), "\n"))
	return err
}

// tryNext says what else there is: while this cluster is up, if somebody sits in front of it, and in any case.
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
		"  README.md: Write your own classifier                              what a failure means, in five lines")
}

// interactive reports whether somebody sits in front of it.
func interactive() bool { return term.IsTerminal(int(os.Stdin.Fd())) }

// waitForEnter returns at once when nobody sits in front of it.
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
