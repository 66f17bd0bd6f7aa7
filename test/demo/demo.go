package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

const defaultManifest = "example/framework/batchwithservicesucceeded.yaml"

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
	c, err := cluster.Start(ctx, cluster.Options{Nodes: nodes, Log: os.Stdout})
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

// show applies the manifest, prints what becomes of its Framework until that is completed, and leaves time to look.
func show(ctx context.Context, c *cluster.Cluster, m manifest) error {
	if err := apply(ctx, c, m.path); err != nil {
		return err
	}
	if !m.simulated {
		fmt.Println("note: no Pod in it says when it ends (see test/cluster/stages.yaml), so this may go on for ever: Ctrl-C ends it")
	}
	start := time.Now()
	completion, err := follow(ctx, c, m)
	if err != nil {
		return err
	}
	fmt.Printf("completed after %.1f s: %s\n", time.Since(start).Seconds(), completion)
	explain(c)
	fmt.Println("controller log:", controllerLog(c))
	waitForEnter(ctx)
	return nil
}

// waitForEnter returns at once when nobody sits in front of it.
func waitForEnter(ctx context.Context) {
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return
	}
	fmt.Println("press Enter to clean up")
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
