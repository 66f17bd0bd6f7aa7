package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/test/admitter/admission"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// admissionRuns are the measurements of gangs that wait for a scheduler to admit them. The test plays the scheduler: it writes the status
// of the gang's object.
type admissionRuns struct {
	Waiting   int       `json:"waiting"`   // gangs beside
	Delays    []seconds `json:"delays"`    // from the answer to that write until a watch shows the first Pod
	Idle      int       `json:"idle"`      // gangs that wait, and nothing else
	Cores     float64   `json:"cores"`     // processor cores of the controller meanwhile
	Requests  float64   `json:"requests"`  // to the API server, in a second, more than without the gangs
	IdleFloor float64   `json:"idleFloor"` // requests in a second without them
}

const (
	waitingGangs = 100
	idleGangs    = 500
	idleTime     = time.Minute

	admissionTarget    = 0.2 // seconds, of 99 %
	idleCoresTarget    = 0.02
	idleRequestsTarget = 5.0 // per second
)

// measureAdmission lets gangs wait, and admits some of them.
func (b *bench) measureAdmission(ctx context.Context, r *report) error {
	plugin, err := filepath.Abs(filepath.Join("bin", "admitter"))
	if err != nil {
		return err
	}
	if err := clustertest.Build(ctx, plugin, "./test/admitter"); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(ownConnection(b.cluster.Config))
	if err != nil {
		return err
	}
	if err := admission.Define(ctx, client); err != nil {
		return err
	}
	configured := *b.config
	configured.PluginSpecs = []config.PluginSpec{{Name: "admitter", Kind: "SchedulerHints", Command: plugin}}
	return b.underController(ctx, &configured, func(ctx context.Context, p *controller, f *frameworks) error {
		s := scheduler{b, p, f, client.Resource(admission.Resource).Namespace(namespace)}
		return s.measure(ctx, r)
	})
}

// scheduler plays a scheduler that admits gangs.
type scheduler struct {
	*bench
	controller *controller
	frameworks *frameworks
	admissions dynamic.ResourceInterface
}

func (s scheduler) measure(ctx context.Context, r *report) error {
	runs := &admissionRuns{Waiting: waitingGangs, Idle: idleGangs}
	all := gangs(idleGangs)
	var err error
	if _, runs.IdleFloor, err = s.idle(ctx); err != nil {
		return err
	}
	if err := inOrder(
		func() error { return each(ctx, all, s.frameworks.create) },
		func() error { return s.awaitAdmissions(ctx, len(all)) },
	); err != nil {
		return err
	}
	cores, requests, err := s.idle(ctx)
	if err != nil {
		return err
	}
	runs.Cores, runs.Requests = cores, requests-runs.IdleFloor
	const few = 2 * waitingGangs
	if err := inOrder(
		func() error { return each(ctx, all[few:], s.frameworks.delete) },
		func() error { return s.awaitAdmissions(ctx, few) },
		func() error { return settle(ctx, s.cluster) },
	); err != nil {
		return err
	}
	for _, one := range all[:waitingGangs] {
		delay, err := s.admit(ctx, one)
		if err != nil {
			return err
		}
		runs.Delays = append(runs.Delays, delay)
	}
	fmt.Fprintf(os.Stderr, "admission with %d gangs waiting: %.3f s; %d gangs that wait: %.3f cores of the controller, %.1f requests/s more than the %.1f without\n",
		runs.Waiting, percentile(runs.Delays, 99), runs.Idle, runs.Cores, runs.Requests, runs.IdleFloor)
	r.Admission = runs
	return s.clear(ctx, s.frameworks, all[:few])
}

func gangs(n int) []*v1.Framework {
	out := make([]*v1.Framework, n)
	for i := range out {
		out[i] = framework(fmt.Sprintf("gang%d", i), 1)
		out[i].Spec.Scheduling = &v1.SchedulingSpec{Queue: "bench"}
	}
	return out
}

func (s scheduler) awaitAdmissions(ctx context.Context, n int) error {
	return wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		list, err := s.admissions.List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == n, nil
	})
}

// idle returns how much the controller works, and how many requests there are in a second, while nothing happens.
func (s scheduler) idle(ctx context.Context) (cores, requests float64, err error) {
	if err := settle(ctx, s.cluster); err != nil {
		return 0, 0, err
	}
	before, err := s.look(ctx, s.controller)
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	sleep(ctx, idleTime)
	after, err := s.look(ctx, s.controller)
	if err != nil {
		return 0, 0, err
	}
	took := time.Since(start).Seconds()
	for _, n := range after.requests.since(before.requests).byKind {
		requests += float64(n)
	}
	return after.cpu.since(before.cpu)[controllerName] / took, requests / took, nil
}

func (s scheduler) admit(ctx context.Context, one *v1.Framework) (seconds, error) {
	return s.timed(ctx, v1.PodName(one.Name, role, 0), func() error {
		return admission.Say(ctx, s.admissions, one.Name+"-0", admission.Answer{Phase: admission.Admitted})
	})
}

// percentile returns the smallest value that n percent of the values do not exceed.
func percentile(all []seconds, n int) seconds {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)*n+99)/100-1]
}

// addAdmission adds its rows.
func (r *report) addAdmission() {
	a := r.Admission
	if a == nil {
		return
	}
	r.Rows = append(r.Rows,
		absolute(fmt.Sprintf("admission with %d gangs waiting: first Pod created, 99 %%", a.Waiting), "s", float64(percentile(a.Delays, 99))).within(admissionTarget),
		absolute(fmt.Sprintf("%d gangs that wait: cores of the controller", a.Idle), "cores", a.Cores).within(idleCoresTarget),
		absolute(fmt.Sprintf("%d gangs that wait: requests in a second", a.Idle), "/s", a.Requests).within(idleRequestsTarget))
}
