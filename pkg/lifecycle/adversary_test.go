package lifecycle_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// adversary makes up worlds that no cluster could be in, from bytes: views that contradict each other and the
// status, specs that no API server would let in, clocks that go backwards. The core is to make the best of it.
type adversary struct {
	schedule
	// objects that have been heard of.
	uids []types.UID
}

func newAdversary(bytes []byte) *adversary {
	return &adversary{schedule: schedule{bytes: bytes}, uids: []types.UID{"x", "y"}}
}

func (a *adversary) yes() bool { return a.next(2) == 1 }

// uid is one that an object may have; noUID may also be empty.
func (a *adversary) uid() types.UID { return a.uids[a.next(len(a.uids))] }

func (a *adversary) noUID() types.UID {
	if a.next(4) == 0 {
		return ""
	}
	return a.uid()
}

// input makes a round out of nothing but the state before.
func (a *adversary) input(saved *lifecycle.State) lifecycle.Input {
	a.record(saved)
	in := lifecycle.Input{
		Framework: lifecycle.Framework{Name: "demo", UID: "f", Generation: int64(a.next(3)), Deleting: a.next(8) == 0, Spec: a.spec()},
		Saved:     saved,
		Observed:  a.observed(saved),
		Config:    lifecycletest.Config(),
		Now:       time.Date(2024, 1, 1, 0, a.next(60)*a.next(20), 0, 0, time.UTC),
	}
	in.Asking.Start = a.yes()
	in.Asking.Archive = a.yes()
	in.Asking.Logs = a.yes()
	in.Seed[0], in.Seed[1] = byte(len(a.bytes)), byte(len(a.bytes)>>8)
	return in
}

// record takes note of the objects that the state has recorded.
func (a *adversary) record(saved *lifecycle.State) {
	if saved == nil {
		return
	}
	if uid := saved.Framework().AttemptStatus.ConfigMapUID; uid != nil && !slices.Contains(a.uids, *uid) {
		a.uids = append(a.uids, *uid)
	}
	eachTask(saved, func(_ lifecycle.TaskRef, task *v1.TaskStatus) {
		if uid := task.AttemptStatus.PodUID; uid != nil && !slices.Contains(a.uids, *uid) {
			a.uids = append(a.uids, *uid)
		}
	})
}

func (a *adversary) spec() *v1.FrameworkSpec {
	spec := &v1.FrameworkSpec{
		ExecutionType: v1.ExecutionType(a.pick("Start", "Start", "Start", "", "Create", "Stop", "Dance")),
		RetryPolicy:   a.retryPolicy(),
	}
	if a.next(4) == 0 {
		spec.Suspend = new(a.yes())
	}
	spec.Scheduling = a.scheduling()
	for range a.next(3) {
		spec.Volumes = append(spec.Volumes, v1.VolumeSpec{
			Name: a.pick("v", "w", ""), Per: v1.VolumePer(a.pick("Task", "Role", "Framework", "", "Planet")), Role: a.pick("", "", "a", "c"),
			Retention: v1.VolumeRetention(a.pick("Delete", "Retain", "", "Maybe")),
		})
	}
	for range a.next(4) {
		spec.TaskRoles = append(spec.TaskRoles, v1.TaskRoleSpec{
			Name:       a.pick("a", "b", ""),
			StartAfter: a.startAfter(),
			TaskNumber: int32(a.next(6)) - 1,
			FrameworkAttemptCompletionPolicy: v1.CompletionPolicySpec{
				MinFailedTaskCount: int32(a.next(5)) - 2, MinSucceededTaskCount: int32(a.next(5)) - 2,
			},
			Task: v1.TaskSpec{RetryPolicy: a.retryPolicy(), PodGracefulDeletionTimeoutSec: a.seconds(), StartDeadline: a.startDeadline()},
		})
	}
	return spec
}

func (a *adversary) scheduling() *v1.SchedulingSpec {
	if a.yes() {
		return nil
	}
	s := &v1.SchedulingSpec{TimeoutSec: new(int32(a.next(5)) * 60)}
	if a.yes() {
		s.Gang = &v1.GangSpec{MinTasks: new(int32(a.next(6)) - 1), PerRole: []v1.RoleGangSpec{{Role: a.pick("a", "b", "c"), MinTasks: int32(a.next(4)) - 1}}}
	}
	return s
}

func (a *adversary) startAfter() (out []v1.StartAfterSpec) {
	if a.next(3) > 0 {
		return nil
	}
	for range a.next(3) {
		out = append(out, v1.StartAfterSpec{Role: a.pick("a", "b", "c", ""), When: v1.StartWhen(a.pick("Addressed", "Running", "Ready", "Succeeded", "", "Dancing"))})
	}
	if a.yes() {
		out = append(out, v1.StartAfterSpec{Framework: a.pick("p", "q", "me"), When: v1.StartWhen(a.pick("Succeeded", "Completed", "Dancing"))})
	}
	return out
}

func (a *adversary) startDeadline() *v1.StartDeadlineSpec {
	if a.yes() {
		return nil
	}
	limit := func() int32 { return []int32{0, 1, 60, 600, -5, 1<<31 - 1}[a.next(6)] }
	return &v1.StartDeadlineSpec{UnscheduledSec: limit(), ImagePullSec: limit(), ContainerCreateSec: limit(), NotRunningSec: limit()}
}

func (a *adversary) stallCause() *waiting.Cause {
	if a.yes() {
		return nil
	}
	c := &waiting.Cause{Reason: reason.Waiting(a.pick("Unschedulable", "PodNotScheduled", "SchedulingGated", "ImageNotPulled", "ContainerNotStarted", "ContainerCrashing", "ContainersLeft", ""))}
	if a.next(4) == 0 {
		c.Over = time.Date(2024, 1, 1, 0, a.next(60), 0, 0, time.UTC)
	}
	return c
}

func (a *adversary) startVerdict() *deadline.Verdict {
	if a.yes() {
		return nil
	}
	v := &deadline.Verdict{PodUID: a.uid(), Kind: a.pick("Unscheduled", "ImagePull", "ContainerCreate", "NotRunning", "")}
	switch a.next(3) {
	case 0:
		v.Status = &v1.CompletionStatus{Code: 77, Phrase: "Judged", Type: v1.CompletionType{Name: v1.CompletionFailed}, Source: &v1.CompletionSource{Plugin: "p"}}
	case 1:
		v.Until = time.Date(2024, 1, 1, 0, a.next(60), 0, 0, time.UTC)
	}
	return v
}

func (a *adversary) retryPolicy() v1.RetryPolicySpec {
	policy := v1.RetryPolicySpec{FancyRetryPolicy: a.yes(), MaxRetryCount: int32(a.next(5)) - 3}
	if a.yes() {
		policy.Backoff = &v1.RetryBackoffSpec{InitialDelaySec: int32(a.next(5)) - 1, MaxDelaySec: int32(a.next(40)) - 1}
	}
	policy.Restart = v1.RestartScope(a.pick("", "", "Task", "Role", "Framework", "Galaxy"))
	if a.next(4) == 0 {
		policy.Window = &v1.RetryWindowSpec{Failures: int32(a.next(4)) - 1, WithinSec: []int32{0, -1, 60, math.MaxInt32}[a.next(4)]}
	}
	for range a.next(3) {
		b := v1.RetryBudgetSpec{Phrase: a.pick("", "ContainerUnrecognizedFailed"), Attribute: v1.CompletionTypeAttribute(a.pick("", "Transient")), MaxRetryCount: int32(a.next(5)) - 2}
		if a.yes() {
			b.Code = new(int32(a.next(3)) - 101)
		}
		policy.Budgets = append(policy.Budgets, b)
	}
	return policy
}

func (a *adversary) seconds() *int64 {
	s := []int64{0, -1, 30, 1 << 62, -1 << 62}[a.next(5)]
	if a.yes() {
		return nil
	}
	return &s
}

func (a *adversary) observed(saved *lifecycle.State) lifecycle.Observed {
	o := lifecycle.Observed{ConfigMap: a.configMap(), Pods: map[lifecycle.TaskRef]lifecycle.PodView{}, Partial: a.next(4) == 0}
	if a.next(4) == 0 {
		o.Blockers = []waiting.Fact{{Reason: "Trouble", Action: waiting.DeleteFramework, Words: a.pick("", "no", "no 1", "no 2")}}
	}
	if a.yes() {
		o.Archived.Attempt = new(int32(a.next(4)) - 1)
	}
	for range a.next(3) {
		if o.Others == nil {
			o.Others = map[string]gates.Other{}
		}
		o.Others[a.pick("p", "q")] = gates.Other{
			UID: types.UID(a.pick("u1", "u2")), Elsewhere: a.next(4) == 0, Outcome: v1.CompletionTypeName(a.pick("", "Succeeded", "Failed")),
		}
	}
	if a.next(8) == 0 {
		o.OthersCircle = []string{"me", a.pick("p", "q")}
	}
	o.Archived.Tasks = map[lifecycle.TaskRef]lifecycle.ArchivedTask{}
	eachTask(saved, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if a.yes() {
			o.Archived.Tasks[ref] = lifecycle.ArchivedTask{UID: task.InstanceUID, AttemptID: task.AttemptStatus.ID - int32(a.next(2))}
		}
	})
	o.LogsCollected = map[lifecycle.TaskRef]types.UID{}
	eachTask(saved, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if uid := task.AttemptStatus.PodUID; uid != nil && a.yes() {
			o.LogsCollected[ref] = *uid
		}
	})
	o.Claims = map[lifecycle.ClaimRef]lifecycle.ClaimView{}
	for _, volume := range []string{"v", "w", ""} {
		for _, role := range []string{"", "a", "b"} {
			for _, per := range []v1.VolumePer{v1.VolumePerFramework, v1.VolumePerRole, v1.VolumePerTask} {
				o.Claims[lifecycle.ClaimRef{Volume: volume, Per: per, Role: role, Index: int32(a.next(3))}] = lifecycle.ClaimView{Kept: a.yes(), Gone: a.yes()}
			}
		}
	}
	for range a.next(4) {
		o.Pods[lifecycle.TaskRef{Role: a.pick("a", "b", "c"), Index: int32(a.next(7)) - 2}] = a.pod(nil)
	}
	eachTask(saved, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if a.next(4) > 0 {
			o.Pods[ref] = a.pod(task)
		}
	})
	return o
}

func (a *adversary) configMap() lifecycle.ConfigMapView {
	view := lifecycle.ConfigMapView{Gone: a.noUID(), DeleteRequested: a.noUID(), Asked: a.yes()}
	if a.next(4) > 0 {
		view.ConfigMap = &lifecycle.ConfigMap{
			UID: a.uid(), Cached: a.yes(), FrameworkUID: types.UID(a.pick("f", "f", "g", "")),
			AttemptID: int32(a.next(4)) - 1, Deleting: a.next(4) == 0, AwaitsCollector: a.yes(),
		}
	}
	return view
}

// pod makes up a Pod, which may even be the one that the Task has recorded.
func (a *adversary) pod(task *v1.TaskStatus) lifecycle.PodView {
	view := lifecycle.PodView{Gone: a.noUID(), DeleteRequested: a.noUID(), Asked: a.yes(), Unsure: a.yes()}
	taskUID, attempt := "t", int32(a.next(3))-1
	if task != nil && a.next(4) > 0 {
		taskUID, attempt = task.InstanceUID, task.AttemptStatus.ID
	}
	view.StartVerdict = a.startVerdict()
	if task != nil && view.StartVerdict != nil && task.AttemptStatus.PodUID != nil && task.AttemptStatus.PendingSince != nil {
		p := task.AttemptStatus.PendingSince
		for _, since := range []*metav1.Time{p.Unscheduled, p.ImagePull, p.ContainerCreate, p.NotRunning} {
			if since != nil && a.yes() {
				view.StartVerdict.Since, view.StartVerdict.PodUID = *since, *task.AttemptStatus.PodUID
			}
		}
	}
	if a.next(6) == 0 {
		view.Refusal = &lifecycle.Refusal{TaskUID: taskUID, TaskAttemptID: attempt, Code: completion.CodePodCreationUnknownError}
	}
	if a.next(4) == 0 {
		return view
	}
	view.Pod = &lifecycle.Pod{
		UID: a.uid(), Cached: a.yes(), ConfigMapUID: a.noUID(), TaskUID: taskUID, TaskAttemptID: attempt,
		Deleting: a.next(4) == 0, TerminationStart: time.Date(2024, 1, 1, 0, a.next(60), 0, 0, time.UTC),
		Phase: lifecycle.PodPhase(a.pick("Pending", "Running", "Succeeded", "Failed", "Unknown", "")),
		IP:    a.pick("", "10.0.0.1", "10.0.0.2"), NodeName: a.pick("", "node1"),
		StallCause: a.stallCause(), Unstarted: a.yes(), Ready: a.yes(), HasLogs: a.yes(),
	}
	if task != nil && task.AttemptStatus.PodUID != nil && a.yes() {
		view.Pod.UID = *task.AttemptStatus.PodUID
	}
	return view
}

// FuzzStep: there is no state and no world in which the core panics, hangs, or breaks a law about states.
func FuzzStep(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomBytes(seed, 2000))
	}
	f.Fuzz(func(t *testing.T, bytes []byte) { checkAdversary(t, bytes, nil) })
}

func TestAdversary(t *testing.T) {
	for seed := range *schedules {
		if checkAdversary(t, randomBytes(seed, 1500), nil); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkAdversary(t *testing.T, bytes []byte, state *lifecycle.State) {
	t.Helper()
	a := newAdversary(bytes)
	c := &checker{met: map[*lifecycle.State]*v1.FrameworkStatus{}, violationf: func(law, format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s", law, fmt.Sprintf(format, args...))
	}}
	for len(a.bytes) > 0 && !t.Failed() {
		in := a.input(state)
		out := lifecycle.Step(in)
		c.lawDeterministic(in, out)
		c.lawDeclared(in, out)
		c.lawForward("step", in.Saved, out.State)
		c.lawConsistent(in, out)
		c.lawLoadable(out.State)
		c.lawActions(in, out)
		c.lawSuspended(in, out)
		c.lawPlacement(in, out)
		c.lawStartDeadline(in, out)
		c.lawStartOrder(in, out)
		c.lawOtherFrameworks(in, out)
		c.lawArchived(in, out)
		c.lawLogs(in, out)
		c.lawClaims(in, out)
		c.meet(in, out)
		state = out.State
	}
}
