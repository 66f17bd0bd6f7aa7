// Bench measures how fast the controller is, against a floor: a bare loop that makes the same requests for Pods with 32 of them in flight.
// No controller can be faster. Both run in turn on one control plane with simulated nodes, so their ratio means something on any machine;
// the times do not. The ratio is taken over several rounds together, and its standard error shows how significant it is. The controller
// runs with its default configuration, but without plugins. Where there are many Frameworks, a third side is a bare loop that makes the
// requests which every controller has to make; the difference is the cost of this one. The Job controller of Kubernetes runs the same Pods,
// for comparison. The cost of plugins is measured apart: how fast the default classifier answers, and how much longer one Framework takes
// with the default plugins. So is the cost of a history: the whole life with a sink and a server with SQLite, compared with the same
// without.
//
//	bench                      measure, print a table, write bin/bench.json; takes half an hour and more
//	bench -quick               once, no large Framework, none with plugins or a history, and small gangs
//	bench -works 1x200,20x5    other sizes: Frameworks x Tasks
//	bench -before PATH         compare it with another build of the controller too, round by round
//	bench -before-barrier PATH compare the barrier with another build of it too, round by round
//	bench -array 10000/50      10,000 Tasks of a second, 50 at once; takes ten minutes more
//	bench -barriers 50         other sizes of gangs that wait at the barrier; "" for none
//
// It runs in the root folder of a checkout, and expects the controller in bin/frameworkcontroller, plugins in bin/plugins, and the history
// server in bin/history.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
)

// options are the command line.
type options struct {
	quick         bool
	large         bool
	fairness      bool
	admission     bool
	suspension    bool
	retries       bool
	array         string
	history       bool
	works         string
	rounds        int
	nodes         int
	controller    string
	before        string
	barriers      string
	barrier       string
	beforeBarrier string
	out           string
	limit         time.Duration
}

func main() {
	o := parseFlags()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, o)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		os.Exit(130) // interrupted: errors caused by that are not printed
	default:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// gangSizes are measured unless others are asked for.
const gangSizes = "10,100,300,1000"

func parseFlags() options {
	o := options{}
	flag.BoolVar(&o.quick, "quick", false, "measure everything once, no large Framework, and none with plugins or a history")
	flag.BoolVar(&o.large, "large", true, "measure 1 Framework of 10,000 Tasks too, once")
	flag.BoolVar(&o.fairness, "fairness", true, "measure how small Frameworks fare beside one of 10,000 Tasks")
	flag.BoolVar(&o.suspension, "suspension", true, "measure how fast a Framework that is suspended has no Pods")
	flag.BoolVar(&o.admission, "admission", true, "measure how fast gangs are admitted, and what those that wait cost")
	flag.BoolVar(&o.retries, "retries", true, "measure how fast failed Pods have successors, all of a Framework at once and one by one")
	flag.StringVar(&o.array, "array", "", "measure a role with parallelism: the number of Tasks, of a second each, and how many run at once, such as 10000/50; \"\" for none")
	flag.BoolVar(&o.history, "history", true, "measure each of -works with a history too, against without")
	flag.StringVar(&o.works, "works", "1x1000,100x10", "Frameworks x Tasks to measure; \"\" for none")
	flag.IntVar(&o.rounds, "rounds", 7, "how often each of them is measured, and gangs, but these at most 3 times; the table has the medians of times, and the ratios of their totals")
	flag.IntVar(&o.nodes, "nodes", 20, "simulated nodes; each takes 1000 Pods")
	flag.StringVar(&o.controller, "controller", filepath.Join("bin", "frameworkcontroller"), "binary to measure, beside plugins/")
	flag.StringVar(&o.before, "before", "", "binary to compare it with, in the same rounds: an earlier build of the controller; \"\" for none")
	flag.StringVar(&o.barriers, "barriers", gangSizes, "Tasks of the gangs to measure, each with a barrier")
	flag.StringVar(&o.barrier, "barrier", filepath.Join("bin", "frameworkbarrier"), "barrier to measure")
	flag.StringVar(&o.beforeBarrier, "before-barrier", "", "barrier to compare it with, in the same rounds: another build of it; \"\" for none")
	flag.StringVar(&o.out, "out", filepath.Join("bin", "bench.json"), "file for the results; the controller's log goes beside it")
	flag.DurationVar(&o.limit, "limit", 90*time.Minute, "give up after so long")
	flag.Parse()
	if o.quick {
		o.large, o.fairness, o.suspension, o.admission, o.retries, o.history, o.rounds = false, false, false, false, false, false, 1
		if o.barriers == gangSizes {
			o.barriers = "10,100"
		}
	}
	return o
}

func run(ctx context.Context, o options) error {
	ctx, cancel := context.WithTimeoutCause(ctx, o.limit, fmt.Errorf("not done within %s", o.limit))
	defer cancel()
	plan, err := o.plan()
	if err != nil {
		return err
	}
	configuration, err := config.Load(defaultConfiguration)
	if err != nil {
		return err
	}
	r := newReport()
	step, err := coreStep()
	if err != nil {
		return err
	}
	if r.Plugin, err = classifierSpeeds(ctx, o, configuration); err != nil {
		return err
	}
	if err := measure(ctx, o, configuration, plan, r); err != nil {
		return err
	}
	r.summarise()
	r.addStep(step)
	r.addPlugin()
	r.addBarriers()
	r.addNeighbours()
	r.addSuspension()
	r.addAdmission()
	r.addRetries()
	r.addSingleRetries()
	r.addArray()
	r.print(os.Stdout)
	return r.write(o.out)
}
