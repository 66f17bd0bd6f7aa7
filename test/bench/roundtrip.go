package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// speed is one measurement of one plugin.
type speed struct {
	Median float64 `json:"median"` // seconds per question, when they are asked one after the other
	P99    float64 `json:"p99"`    // not exceeded by 99 of 100 questions
	Rate   float64 `json:"rate"`   // verdicts per second, with many askers
	Others float64 `json:"others"` // share of the machine's time that programs not of ours took meanwhile
}

// How much is asked.
const (
	warmUpQuestions = 1000
	roundTrips      = 5000
	roundTripsTime  = 15 * time.Second // fewer, if that is too short for all
	askers          = 200              // the default number of Frameworks that the controller processes at the same time
	rateTime        = 2 * time.Second
	knownFailures   = 20 * askers // no two askers have the same
)

// classifier is the default one, in a process of its own.
type classifier struct {
	host     *pluginhost.Host
	name     string
	failures []failure
}

// classifierSpeeds measures the default classifier several times. Nothing else should run: the times are short.
func classifierSpeeds(ctx context.Context, o options, c *config.Config) ([]speed, error) {
	p, err := startClassifier(ctx, o.controller, c)
	if err != nil {
		return nil, err
	}
	defer p.host.Stop()
	if _, err := p.roundTrips(ctx, warmUpQuestions); err != nil {
		return nil, err
	}
	var out []speed
	for i := range o.rounds {
		s, err := p.measure(ctx)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "%-10s round %d of %d  median %.0f µs  99 %% within %.2f ms  %.0f verdicts/s  (others took %.0f %%)\n",
			p.name, i+1, o.rounds, 1e6*s.Median, 1e3*s.P99, s.Rate, 100*s.Others)
		out = append(out, s)
	}
	return out, nil
}

// startClassifier gives it the rules of the configuration, as the controller does.
func startClassifier(ctx context.Context, controller string, c *config.Config) (*classifier, error) {
	own, err := first(c, plugin.KindFailureClassifier)
	if err != nil {
		return nil, err
	}
	if own.Parameters, err = podverdict.Parameters(c.PodFailureSpec); err != nil {
		return nil, err
	}
	beside, err := filepath.Abs(filepath.Join(filepath.Dir(controller), "plugins"))
	if err != nil {
		return nil, err
	}
	host := pluginhost.New(pluginhost.Options{Directory: beside})
	host.Reload([]pluginhost.Config{own})
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := host.AwaitReady(ctx, own.Name); err != nil {
		host.Stop()
		return nil, err
	}
	return &classifier{host, own.Name, failures(c.Rules(), knownFailures)}, nil
}

func (p *classifier) measure(ctx context.Context) (s speed, err error) {
	machine, cpu, err := p.look()
	if err != nil {
		return s, err
	}
	took, err := p.roundTrips(ctx, roundTrips)
	if err != nil {
		return s, err
	}
	s.Median, s.P99 = took[len(took)/2].Seconds(), took[len(took)*99/100].Seconds()
	if s.Rate, err = p.rate(ctx); err != nil {
		return s, err
	}
	machineAfter, cpuAfter, err := p.look()
	s.Others = machineAfter.others(machine, cpuAfter-cpu)
	return s, err
}

// look returns how busy the machine has been so far, and our share of it.
func (p *classifier) look() (m machine, ours float64, err error) {
	if m, err = readMachine(); err != nil {
		return m, 0, err
	}
	plugin, err := processCPU(p.host.Health()[0].PID)
	if err != nil {
		return m, 0, err
	}
	bench, err := processCPU(os.Getpid())
	return m, plugin + bench, err
}

// roundTrips asks one question after the other. It returns how long each took, the shortest first.
func (p *classifier) roundTrips(ctx context.Context, n int) ([]time.Duration, error) {
	var took []time.Duration
	for begin := time.Now(); len(took) < n && time.Since(begin) < roundTripsTime; {
		start := time.Now()
		if err := p.ask(ctx, p.failures[len(took)%len(p.failures)]); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took, nil
}

// rate lets many ask, each one question after the other, and returns the verdicts per second.
func (p *classifier) rate(ctx context.Context) (float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var verdicts atomic.Int64
	var asking sync.WaitGroup
	start := time.Now()
	for i := range askers {
		asking.Go(func() {
			for k := i; time.Since(start) < rateTime && ctx.Err() == nil; k += askers {
				if err := p.ask(ctx, p.failures[k%len(p.failures)]); err != nil {
					cancel(err)
					return
				}
				verdicts.Add(1)
			}
		})
	}
	asking.Wait()
	return float64(verdicts.Load()) / time.Since(start).Seconds(), context.Cause(ctx)
}

// ask returns an error too if the verdict is wrong: a plugin that is fast but does not do its work is not measured.
func (p *classifier) ask(ctx context.Context, f failure) error {
	uid := f.question.GetUid()
	verdicts, _, err := p.host.Classify(ctx, p.name, []*pluginpb.FailedPod{f.question})
	if err != nil {
		return err
	}
	if code := verdicts.Given[uid].GetCode(); code != f.code {
		return fmt.Errorf("plugin %s gives %s the code %d, not %d", p.name, f.question.GetName(), code, f.code)
	}
	return nil
}
