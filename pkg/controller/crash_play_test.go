package controller

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// story is a course of events for one Framework, named "a". Pods, users and others act on the stored state, so they do the same
// when controllers crash meanwhile.
type story struct {
	name string
	spec []func(*v1.FrameworkSpec)
	// begin changes the world before the controller starts; nil does nothing.
	begin func(w *world)
	// fault injects faults into requests, which then do not count as writes; nil injects none.
	fault func(q apitest.Request) *apitest.Fault
	// starts reports whether a Pod starts running; nil means all do.
	starts func(pod podRun) bool
	// exit returns the exit code of the container of a Pod whose Task is stored as running; stays means not yet. If nil, all
	// succeed, one after the other.
	exit func(s scene, pod podRun) int64
	// steps of users and others, one after the other.
	steps []step
	// over reports whether the story has ended, apart from remaining steps; nil waits for Completed.
	over func(s scene) bool
}

// step is done once, as soon as its condition holds.
type step struct {
	when func(s scene) bool
	do   func(w *world)
}

const stays = -1 << 40

// podRun names one Pod of a story.
type podRun struct {
	role                          string
	index                         int
	frameworkAttempt, taskAttempt int
}

func runOf(pod *unstructured.Unstructured) podRun {
	number := func(text string) int {
		n, _ := strconv.Atoi(text)
		return n
	}
	a := pod.GetAnnotations()
	return podRun{a[v1.KeyTaskRoleName], number(a[v1.KeyTaskIndex]), number(a[v1.KeyFrameworkAttemptID]), number(a[v1.KeyTaskAttemptID])}
}

// play is one run of a story.
type play struct {
	*world
	story story
	plan  plan

	did      atomic.Int64 // steps
	decoding sync.Mutex
	decoded  *unstructured.Unstructured // last Framework that was looked at
	status   *v1.FrameworkStatus        // its
	lives    [][]apitest.Request        // writes of each
	crashes  int
}

// longestLives bounds the lives of one play: far more than there are writes.
const longestLives = 200

// perform plays a story until it is finished, in a bubble.
func perform(t *testing.T, s story, how plan, finished func(p *play) bool) *play {
	t.Helper()
	p := &play{world: newWorldOn(t, apitest.StartPiped(t)), story: s, plan: how}
	p.create("a", s.spec...)
	if s.begin != nil {
		s.begin(p.world)
	}
	p.startCast()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("after %d crashes and %d steps of %d it has come to\n%s", p.crashes, p.did.Load(), len(s.steps), p.end())
		}
	})
	for p.live(finished) {
		if p.crashes > longestLives {
			t.Fatalf("not at its end after %d lives", p.crashes)
		}
	}
	p.stop()
	return p
}

// live runs the controller until the story is finished, or it crashes.
func (p *play) live(finished func(p *play) bool) (crashed bool) {
	p.t.Helper()
	k := len(p.lives)
	l := &life{fault: p.story.fault, crashed: make(chan struct{})}
	l.fateAt = func(n int, q apitest.Request) fate { return p.plan(k, n, q) }
	p.Judge(l.judge)
	p.start()
	p.eventually("a crash, or the end", func() bool { return isClosed(l.crashed) || p.over() && finished(p) })
	crashed = isClosed(l.crashed)
	if crashed {
		p.kill()
		p.crashes++
	}
	p.lives = append(p.lives, l.done())
	return crashed
}

func (p *play) scene() scene {
	f := p.Get(apitest.Frameworks, "a")
	p.decoding.Lock()
	defer p.decoding.Unlock()
	if f != p.decoded || p.status == nil {
		p.decoded, p.status = f, statusOf(f)
	}
	return scene{p.world, f != nil, p.status}
}

func (p *play) over() bool {
	s := p.scene()
	if p.story.over != nil {
		return p.allDone() && p.story.over(s)
	}
	return p.allDone() && s.status.State == v1.Completed
}

func (p *play) allDone() bool { return int(p.did.Load()) == len(p.story.steps) }

// quiet reports whether nothing happens for longer than any delay of the controller.
func (p *play) quiet() bool {
	news := p.Changes()
	select {
	case <-news:
		return false
	case <-time.After(longestCooldown + coalesce):
		return true
	}
}

// startCast lets all other actors act until the test ends.
func (p *play) startCast() {
	done := make(chan struct{})
	var acting sync.WaitGroup
	acting.Go(func() {
		for {
			news := p.Changes()
			p.act()
			select {
			case <-news:
			case <-done:
				return
			}
		}
	})
	p.t.Cleanup(func() {
		close(done)
		acting.Wait()
	})
}

func (p *play) act() {
	for {
		s := p.scene()
		for _, pod := range p.List(apitest.Pods) {
			p.runPod(s, pod)
		}
		n := int(p.did.Load())
		if n == len(p.story.steps) || !p.story.steps[n].when(s) {
			return
		}
		p.story.steps[n].do(p.world)
		p.did.Add(1)
	}
}

// runPod lets a Pod advance only once its Task is stored with the Pod's current state, so that no state is skipped.
func (p *play) runPod(s scene, pod *unstructured.Unstructured) {
	run := runOf(pod)
	t := taskOfStatus(s.status, run.role, run.index)
	if uid := t.AttemptStatus.PodUID; uid == nil || *uid != pod.GetUID() {
		return
	}
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	switch {
	case phase == string(corev1.PodPending) && p.story.starts != nil && !p.story.starts(run):
	case phase == string(corev1.PodPending) && t.State == v1.AttemptPreparing && objects.AvoidsStrictly(pod):
		p.findNoNode(pod)
	case phase == string(corev1.PodPending) && t.State == v1.AttemptPreparing:
		p.TryEdit(apitest.Pods, pod, apitest.Running)
	case phase == string(corev1.PodRunning) && t.State == v1.AttemptRunning:
		if code := p.story.exitOf(s, run); code != stays {
			p.TryEdit(apitest.Pods, pod, apitest.Exited(code))
		}
	}
}

func (s story) exitOf(at scene, pod podRun) int64 {
	if s.exit == nil {
		return onlyIf(at.inTurn(pod), 0)
	}
	return s.exit(at, pod)
}

// findNoNode has the scheduler report, once, that only the node that the Pod must avoid would fit.
func (p *play) findNoNode(pod *unstructured.Unstructured) {
	if _, said, _ := unstructured.NestedSlice(pod.Object, "status", "conditions"); said {
		return
	}
	p.TryEdit(apitest.Pods, pod, func(pod *unstructured.Unstructured) {
		_ = unstructured.SetNestedSlice(pod.Object, []any{map[string]any{
			"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
			"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
		}}, "status", "conditions")
	})
}
