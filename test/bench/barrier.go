package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// gangRun is the measurement of one gang, once: a number of processes wait for the gate, and the last Pod gets its address.
type gangRun struct {
	// From the last address, as a watch of Pods shows it, until half of the processes have ended, 99 of 100, and all.
	P50       seconds `json:"p50"`
	P99       seconds `json:"p99"`
	Last      seconds `json:"last"`
	Waiting   float64 `json:"waiting"`   // share of a core that the API server takes while all wait
	Releasing cpu     `json:"releasing"` // all components, from before the last address until all have ended
	Each      seconds `json:"each"`      // processor time of one process, from its start to its end
	PeakMiB   float64 `json:"peakMiB"`   // highest memory of a process while it waits
	Others    float64 `json:"others"`    // share of the machine's time that programs not of ours took during the release
}

func (r gangRun) String() string {
	return fmt.Sprintf("half %.2f s  99 %% %.2f s  last %.2f s  (others took %.0f %%)", r.P50, r.P99, r.Last, 100*r.Others)
}

// gangRuns are the runs of one size.
type gangRuns struct {
	Tasks   int       `json:"tasks"`
	Floor   []gangRun `json:"floor"`
	Product []gangRun `json:"product"`
	Before  []gangRun `json:"before,omitempty"` // another build of the barrier
}

// waitingTime is how long processes are watched while they wait.
const waitingTime = 10 * time.Second

// gangSizes reads the sizes of gangs to measure.
func (o options) gangSizes() (sizes []int, err error) {
	for text := range strings.FieldsFuncSeq(o.barriers, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2 {
			return nil, fmt.Errorf("-barriers: %q is not a number of Tasks from 2 on", text)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// measureBarriers lets bare watches and barriers take turns, under one controller.
func (b *bench) measureBarriers(ctx context.Context, r *report) error {
	sizes, err := b.options.gangSizes()
	if err != nil || len(sizes) == 0 {
		return err
	}
	bare, err := b.buildBareWatch(ctx)
	if err != nil {
		return err
	}
	programs, err := b.gangPrograms(bare)
	if err != nil {
		return err
	}
	return b.underController(ctx, withoutPlugins(b.config), func(ctx context.Context, p *controller, f *frameworks) error {
		return b.measureGangs(ctx, p, f, sizes, programs, r)
	})
}

// mostGangRounds is how often gangs are measured at most: a round of all sizes takes more than four minutes.
const mostGangRounds = 3

func (b *bench) measureGangs(ctx context.Context, p *controller, f *frameworks, sizes []int, programs []gangProgram, r *report) error {
	rounds := min(b.options.rounds, mostGangRounds)
	for _, n := range sizes {
		runs := gangRuns{Tasks: n}
		for i := range rounds {
			for _, program := range inTurn(programs, i) {
				run, err := gang{b, f, p, n, program.path}.measure(ctx)
				if err != nil {
					return fmt.Errorf("gang of %d, %s: %w", n, program.side, err)
				}
				fmt.Fprintf(os.Stderr, "gang %-5d round %d of %d  %-8s %s\n", n, i+1, rounds, program.side, run)
				runs.add(program.side, run)
			}
		}
		r.Gangs = append(r.Gangs, runs)
	}
	return nil
}

// gangProgram is the program of a gang's processes.
type gangProgram struct{ side, path string }

func (b *bench) gangPrograms(bare string) ([]gangProgram, error) {
	programs := []gangProgram{{floorSide, bare}, {productSide, b.options.barrier}}
	if b.options.beforeBarrier != "" {
		programs = append(programs, gangProgram{beforeSide, b.options.beforeBarrier})
	}
	for i := range programs {
		var err error
		if programs[i].path, err = filepath.Abs(programs[i].path); err != nil {
			return nil, err
		}
	}
	return programs, nil
}

func (g *gangRuns) add(side string, run gangRun) {
	switch side {
	case floorSide:
		g.Floor = append(g.Floor, run)
	case productSide:
		g.Product = append(g.Product, run)
	default:
		g.Before = append(g.Before, run)
	}
}

func (b *bench) buildBareWatch(ctx context.Context) (string, error) {
	path := filepath.Join(b.cluster.Dir, "barewatch")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "./test/bench/barewatch")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building barewatch: %w\n%s", err, out)
	}
	return path, nil
}

// gang is a Framework, all of whose Pods but one have addresses, and a process for each Pod that waits for the last.
type gang struct {
	*bench
	frameworks *frameworks
	controller *controller
	size       int
	program    string
}

const (
	gangName     = "gang"
	heldTemplate = `{"metadata": {"annotations": {"simulate.frameworkcontroller.io/hold": "true"}}, ` +
		`"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}}`
	letGo = `{"metadata": {"annotations": {"simulate.frameworkcontroller.io/hold": null}}}`
)

func (g gang) framework() *v1.Framework {
	f := framework(gangName, g.size-1)
	last := f.Spec.TaskRoles[0]
	last.Name, last.TaskNumber, last.Task.Pod = "last", 1, []byte(heldTemplate)
	f.Spec.TaskRoles = append(f.Spec.TaskRoles, last)
	return f
}

func (g gang) measure(ctx context.Context) (r gangRun, err error) {
	all := []*v1.Framework{g.framework()}
	err = inOrder(
		func() error { return g.frameworks.create(ctx, all[0]) },
		func() error { return g.pods.awaitPresent(ctx, g.size) },
		func() error { return g.pods.awaitRunning(ctx, g.size-1) },
	)
	if err != nil {
		return r, err
	}
	before, err := g.watches(ctx)
	if err != nil {
		return r, err
	}
	crowd, err := g.start(ctx)
	if err != nil {
		return r, err
	}
	defer crowd.end()
	err = inOrder(
		func() error { return g.awaitWatches(ctx, crowd, before+g.size) },
		func() error { return g.wait(ctx, crowd, &r) },
		func() error { return g.release(ctx, crowd, &r) },
		func() error { return g.clear(ctx, g.frameworks, all) },
	)
	return r, err
}

// crowd are the processes of a gang.
type crowd struct {
	commands []*exec.Cmd
	dir      string
	ended    sync.WaitGroup
	mu       sync.Mutex
	ends     []time.Time // in the order in which they ended
	fault    error       // first exit code other than 0
	failed   chan struct{}
}

func (g gang) start(ctx context.Context) (*crowd, error) {
	c := &crowd{dir: filepath.Join(g.cluster.Dir, "crowd"), failed: make(chan struct{})}
	log, err := os.OpenFile(strings.Replace(g.log, "controller", "barriers", 1), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	env, gate := g.environment()
	for i := range g.size {
		cmd := g.cluster.Command(ctx, g.program, namespace, gangName, gate)
		cmd.Dir, cmd.Stderr = filepath.Join(c.dir, strconv.Itoa(i)), log
		cmd.Env = append(cmd.Env, env...)
		if err := os.MkdirAll(cmd.Dir, 0o755); err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			c.end()
			return nil, err
		}
		c.commands = append(c.commands, cmd)
		c.ended.Go(func() { c.note(cmd.Wait()) })
	}
	return c, nil
}

// environment returns the environment of the Pod that is held, and the gate that it waits for.
func (g gang) environment() (env []string, gate string) {
	i := slices.IndexFunc(g.pods.list(), func(p *corev1.Pod) bool { return p.Name == v1.PodName(gangName, "last", 0) })
	for _, one := range g.pods.list()[i].Spec.Containers[0].Env {
		env = append(env, one.Name+"="+one.Value)
		if one.Name == v1.KeyFrameworkAttemptInstanceUID {
			gate = one.Value
		}
	}
	return env, gate
}

func (c *crowd) note(err error) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends = append(c.ends, now)
	if err != nil && c.fault == nil {
		c.fault = err
		close(c.failed)
	}
}

// end kills the remaining processes.
func (c *crowd) end() {
	for _, cmd := range c.commands {
		cmd.Process.Kill() // has no effect on one that has been waited for
	}
	c.ended.Wait()
	os.RemoveAll(c.dir)
}

// awaitWatches returns once the API server has n watches of Frameworks.
func (g gang) awaitWatches(ctx context.Context, c *crowd, n int) error {
	for {
		got, err := g.watches(ctx)
		if err != nil || got >= n {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-c.failed:
			return fmt.Errorf("one of those that wait has ended: %w; see the log", c.fault)
		case <-ctx.Done():
			return fmt.Errorf("there are %d of %d watches: %w", got, n, context.Cause(ctx))
		}
	}
}

func (g gang) watches(ctx context.Context) (int, error) { return countWatches(ctx, g.bare.rest) }

// wait measures the processes while they wait.
func (g gang) wait(ctx context.Context, c *crowd, r *gangRun) error {
	if err := settle(ctx, g.cluster); err != nil {
		return err
	}
	before, err := componentCPU(g.cluster)
	if err != nil {
		return err
	}
	select {
	case <-time.After(waitingTime):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	after, err := componentCPU(g.cluster)
	if err != nil {
		return err
	}
	r.Waiting = after.since(before)[apiServerName] / waitingTime.Seconds()
	for _, cmd := range c.commands {
		mib, err := peakMiB(cmd.Process.Pid)
		if err != nil {
			return fmt.Errorf("one of those that wait has ended: %w", err)
		}
		r.PeakMiB = max(r.PeakMiB, mib)
	}
	return nil
}

const apiServerName = "kube-apiserver"

// release gives the last Pod its address, and waits for the end of all processes.
func (g gang) release(ctx context.Context, c *crowd, r *gangRun) error {
	waited, err := c.cpu()
	if err != nil {
		return err
	}
	before, err := g.look(ctx, g.controller)
	if err != nil {
		return err
	}
	err = g.bare.rest.Patch(types.MergePatchType).Namespace(namespace).Resource("pods").Name(v1.PodName(gangName, "last", 0)).
		Body([]byte(letGo)).Do(ctx).Error()
	if err != nil {
		return err
	}
	if err := g.pods.awaitRunning(ctx, g.size); err != nil {
		return err
	}
	start := time.Now()
	c.ended.Wait()
	if c.fault != nil {
		return c.fault
	}
	after, err := g.look(ctx, g.controller)
	if err != nil {
		return err
	}
	at := func(share float64) seconds {
		return seconds(c.ends[int(share*float64(len(c.ends)-1))].Sub(start).Seconds())
	}
	r.P50, r.P99, r.Last = at(0.5), at(0.99), at(1)
	own := 0.0
	for _, cmd := range c.commands {
		own += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	r.Each = seconds(own / float64(g.size))
	r.Releasing = after.cpu.since(before.cpu)
	r.Others = after.machine.others(before.machine, r.Releasing.total()+own-waited)
	return nil
}

// cpu is the processor time of the processes so far, none of which has ended.
func (c *crowd) cpu() (total float64, err error) {
	for _, cmd := range c.commands {
		took, err := exactCPU(cmd.Process.Pid)
		if err != nil {
			return 0, fmt.Errorf("one of those that wait has ended: %w", err)
		}
		total += took
	}
	return total, nil
}

// countWatches reads from the API server's metrics how many watches of Frameworks there are.
func countWatches(ctx context.Context, client rest.Interface) (int, error) {
	text, err := client.Get().AbsPath("/metrics").Do(ctx).Raw()
	if err != nil {
		return 0, fmt.Errorf("reading metrics: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "{")
		labels, value, _ := strings.Cut(rest, "} ")
		isWatch := name == "apiserver_longrunning_requests" && label(labels, "verb") == "WATCH"
		if isWatch && label(labels, "resource") == v1.FrameworkPlural {
			count, _ := strconv.ParseFloat(value, 64)
			n += int(count)
		}
	}
	return n, nil
}
