package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// sample is one measurement of one work. Times are from the first request on.
type sample struct {
	Created    seconds        `json:"created"`              // until every Pod has been created
	Running    seconds        `json:"running"`              // until every Pod runs
	Counted    seconds        `json:"counted"`              // until every Framework reports it; 0 for the floor
	End        seconds        `json:"end"`                  // from the first Pod made to succeed, until all are gone and all Frameworks completed; 0 if not measured
	RanEarly   int            `json:"ranEarly"`             // Pods that ran by the time the last one was created
	CPU        cpu            `json:"cpu"`                  // all processes, from the first request to the end
	PeakMiB    float64        `json:"peakMiB"`              // memory of the controller
	HistoryMiB float64        `json:"historyMiB,omitempty"` // peak memory of the history server
	Requests   map[string]int `json:"requests"`             // answered by the API server, by kind
	WriteMiB   float64        `json:"writeMiB"`             // sent as statuses of Frameworks
	ToRun      cost           `json:"toRun"`                // the part of CPU and Requests until every Pod runs
	Others     float64        `json:"others"`               // share of the machine's time that programs not of ours took meanwhile
}

// cost is the cost of a part of a life.
type cost struct {
	CPU      cpu            `json:"cpu"`
	Requests map[string]int `json:"requests"`
}

func (r sample) controlPlaneCPU() float64 {
	return r.CPU.total() - r.CPU[controllerName] - r.CPU[pluginsName] - r.CPU[historyName] - r.CPU[benchName]
}

type seconds float64

func since(start time.Time) seconds { return seconds(time.Since(start).Seconds()) }

// bench has the parts that both sides of a measurement share.
type bench struct {
	options options
	cluster *cluster.Cluster
	bare    *bare
	pods    *pods
	log     string
	config  *config.Config // the default one, with plugins
	history *historyServer // nil unless one runs

	runningStatus *v1.FrameworkStatus // last stored by the product for a Framework whose Tasks all run
}

// measure fills the report with the runs of all works.
func measure(ctx context.Context, o options, configuration *config.Config, plan []work, r *report) error {
	c, err := cluster.Start(ctx, cluster.Options{Nodes: o.nodes})
	if err != nil {
		return err
	}
	defer c.Stop()
	b := &bench{options: o, cluster: c, config: configuration, log: strings.TrimSuffix(o.out, filepath.Ext(o.out)) + "-controller.log"}
	if err := errors.Join(os.MkdirAll(filepath.Dir(o.out), 0o755), os.RemoveAll(b.log)); err != nil {
		return err
	}
	if b.bare, err = newBare(c.Config); err != nil {
		return err
	}
	if b.pods, err = watchPods(ctx, c.Config); err != nil {
		return err
	}
	defer b.pods.stop()
	if err := b.warmUp(ctx); err != nil {
		return err
	}
	for _, w := range plan {
		if err := b.measureWork(ctx, w, r); err != nil {
			return err
		}
	}
	if b.options.fairness {
		if err := b.measureFairness(ctx, r); err != nil {
			return fmt.Errorf("small Frameworks beside a large one: %w", err)
		}
	}
	if b.options.suspension {
		if err := b.measureSuspension(ctx, r); err != nil {
			return fmt.Errorf("suspension: %w", err)
		}
	}
	if b.options.admission {
		if err := b.measureAdmission(ctx, r); err != nil {
			return fmt.Errorf("admission: %w", err)
		}
	}
	if b.options.retries {
		if err := b.measureRetries(ctx, r); err != nil {
			return fmt.Errorf("retries: %w", err)
		}
		if err := b.measureSingleRetries(ctx, r); err != nil {
			return fmt.Errorf("single retries: %w", err)
		}
	}
	if b.options.array != "" {
		if err := b.measureArray(ctx, r); err != nil {
			return fmt.Errorf("array: %w", err)
		}
	}
	return b.measureBarriers(ctx, r)
}

// warmUp makes every component do once the work that will be measured.
func (b *bench) warmUp(ctx context.Context) error {
	w := work{frameworks: 1, tasks: 50}
	if _, err := b.floor(ctx, w); err != nil {
		return err
	}
	_, err := b.product(ctx, w)
	return err
}

// measureWork lets the sides take turns, so that all see the machine in the same mood.
func (b *bench) measureWork(ctx context.Context, w work, r *report) error {
	for i := range w.rounds {
		runs := map[string]sample{}
		for _, s := range b.sides(w, i) {
			run, err := s.measure(ctx, w)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", w, s.name, err)
			}
			progress(w, i, s.name, run)
			runs[s.name] = run
		}
		r.addRuns(w, runs)
	}
	return nil
}

// side is one of the sides that are compared.
type side struct {
	name    string
	measure func(context.Context, work) (sample, error)
}

// Names of sides.
const (
	floorSide   = "floor"
	productSide = "product"
	pluginsSide = "plugins" // the product with its default plugins
	historySide = "history" // the product with a history in SQLite
	beforeSide  = "before"  // another build of the product
	leastSide   = "least"   // the requests that every controller has to make
	jobSide     = "job"     // Kubernetes' own Job controller
)

// sides returns them in the order of their turns. Only the least requests always come after the product, because they store the product's
// status.
func (b *bench) sides(w work, round int) []side {
	sides := []side{{floorSide, b.floor}, {productSide, b.product}}
	if w.plugins {
		sides = append(sides, side{pluginsSide, b.productWithPlugins})
	}
	if w.history {
		sides = append(sides, side{historySide, b.productWithHistory})
	}
	if b.options.before != "" {
		sides = append(sides, side{beforeSide, b.before})
	}
	if w.besideJobs {
		sides = append(sides, side{jobSide, b.job})
	}
	sides = inTurn(sides, round)
	if w.many() {
		sides = append(sides, side{leastSide, b.least})
	}
	return sides
}

// inTurn returns sides in the order of their turns, reversed in every second round: the state that a turn leaves behind may matter as much
// as the difference to be measured.
func inTurn[S any](sides []S, round int) []S {
	sides = slices.Clone(sides)
	if round%2 == 1 {
		slices.Reverse(sides)
	}
	return sides
}

func progress(w work, round int, side string, r sample) {
	end := ""
	if r.End != 0 {
		end = fmt.Sprintf("  end of life %5.1f s", r.End)
	}
	fmt.Fprintf(os.Stderr, "%-10s round %d of %d  %-8s created %5.1f s  running %5.1f s%s  (others took %.0f %%)\n",
		w, round+1, w.rounds, side, r.Created, r.Running, end, 100*r.Others)
}

// sight has the totals of all processes so far.
type sight struct {
	cpu      cpu
	machine  machine
	requests requests
}

// look counts; p is nil if no controller runs.
func (b *bench) look(ctx context.Context, p *controller) (s sight, err error) {
	if s.requests, err = readRequests(ctx, b.bare.rest); err != nil {
		return s, err
	}
	if s.machine, err = readMachine(); err != nil {
		return s, err
	}
	if s.cpu, err = componentCPU(b.cluster); err != nil {
		return s, err
	}
	if s.cpu[benchName], err = processCPU(os.Getpid()); err != nil || p == nil {
		return s, err
	}
	if s.cpu[pluginsName], err = p.pluginCPU(); err != nil {
		return s, err
	}
	if b.history != nil {
		if s.cpu[historyName], err = processCPU(b.history.process.PID()); err != nil {
			return s, err
		}
	}
	s.cpu[controllerName], err = processCPU(p.pid())
	return s, err
}

// Names of our own processes beside the control plane's.
const (
	controllerName = "frameworkcontroller"
	pluginsName    = "plugins" // all plugins together
	historyName    = "history" // the server
	benchName      = "bench"
)

// countToRun records the cost until every Pod ran, and is called then.
func (b *bench) countToRun(ctx context.Context, p *controller, before sight, r *sample) error {
	after, err := b.look(ctx, p)
	r.ToRun = cost{after.cpu.since(before.cpu), after.requests.since(before.requests).byKind}
	return err
}

// count records the differences since the look before.
func (b *bench) count(ctx context.Context, p *controller, before sight, r *sample) error {
	after, err := b.look(ctx, p)
	if err != nil {
		return err
	}
	r.CPU = after.cpu.since(before.cpu)
	r.Others = after.machine.others(before.machine, r.CPU.total())
	made := after.requests.since(before.requests)
	r.Requests, r.WriteMiB = made.byKind, made.updateBytes/(1<<20)
	return nil
}
