package checker

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A life without a fault is found to be one, and gives every rule but one something to look at: nothing is left
// flagged.
func TestClean(t *testing.T) {
	report := Check(life().h, Options{Settled: true})
	for _, v := range report.Violations {
		t.Error(v)
	}
	for _, g := range []Guarantee{OnePod, PodOfTask, OneAttempt, NothingAfter, Scale, FlagStays, FlagFirst, StoredFirst, Forward,
		Counters, AllEnded, NoSecondRun, ForeignObjects, StatusOnly, Adoption} {
		if report.Checks[g] == 0 && g != OnePod && g != OneAttempt {
			t.Errorf("nothing was looked at for %s", g)
		}
	}
	if report.Total() < 100 {
		t.Errorf("%d checks", report.Total())
	}
}

// Each of these breaks one guarantee, and is reported as that.
func TestViolations(t *testing.T) {
	tests := []struct {
		name string
		want Guarantee
		says string
		do   func(*scene)
	}{
		{"two Pods of a Task", OnePod, "of the same Task", func(s *scene) {
			s.copyPod(func(p *corev1.Pod) { p.Name = "other" })
		}},
		{"Pods of two attempts", OneAttempt, "of ConfigMap", func(s *scene) {
			s.copyPod(func(p *corev1.Pod) {
				p.Name, p.Annotations[v1.KeyTaskIndex], p.OwnerReferences[0].UID = "other", "9", "cmX"
			})
		}},
		{"Pods of two Frameworks of one name", NothingAfter, "no Framework", func(s *scene) {
			s.copyPod(func(p *corev1.Pod) { p.Name, p.Annotations[v1.KeyFrameworkUID] = "other", "G" })
		}},
		{"Pod of a Task that is not in the status", PodOfTask, "no such Task", func(s *scene) {
			s.copyPod(func(p *corev1.Pod) { p.Name, p.Annotations[v1.KeyTaskIndex] = "other", "9" })
		}},
		{"Task completed while its Pod is there", PodOfTask, "when its Task was AttemptCompleted", func(s *scene) {
			s.insert(s.at(podGone), func(f *v1.Framework) { taskState(0, v1.AttemptCompleted)(f) })
		}},
		{"Pod in the wrong attempt", PodOfTask, "when its Task was in", func(s *scene) {
			s.copyPod(func(p *corev1.Pod) { p.Name, p.Annotations[v1.KeyTaskAttemptID] = "other", "7" })
		}},
		{"Pod when the attempt has ended", NothingAfter, "was there when Framework f was", func(s *scene) {
			s.insert(s.at(podGone), state(v1.AttemptCompleted))
		}},
		{"Framework gone before its Pods", NothingAfter, "gone while its Pod", func(s *scene) {
			i := s.at(podGone)
			f := s.lastFramework(i).DeepCopy()
			f.DeletionTimestamp, f.Finalizers = &metav1.Time{}, []string{metav1.FinalizerDeleteDependents}
			s.insertObservation(i, Observation{Framework: f})
			s.insertObservation(i+1, Observation{Framework: f, Gone: true})
		}},
		{"ConfigMap outlives its attempt", AllEnded, "while its ConfigMap is there", func(s *scene) {
			s.move(s.at(configMapGone), s.at(func(x Observation) bool { return inState(x, v1.AttemptCompleted) })+1)
		}},
		{"attempt ended without an outcome", AllEnded, "without an outcome", func(s *scene) {
			s.edit(s.at(func(x Observation) bool { return inState(x, v1.AttemptCompleted) }), func(f *v1.Framework) { f.Status.AttemptStatus.CompletionStatus = nil })
		}},
		{"attempt ended before a Task", AllEnded, "the Task is", func(s *scene) {
			s.edit(s.at(func(x Observation) bool { return inState(x, v1.AttemptCompleted) }), taskState(1, v1.AttemptCompleted))
		}},
		{"Tasks counted as cut short that were not", AllEnded, "that were cut short", func(s *scene) {
			s.edit(s.at(func(x Observation) bool { return inState(x, v1.AttemptCompleted) }), func(f *v1.Framework) {
				f.Status.Tasks = &v1.TaskCounts{Total: 2, Failed: 2, CutShort: 2}
			})
		}},
		{"scaled-away Task decides", Scale, "does not ask for any more", func(s *scene) {
			s.edit(s.last(func(x Observation) bool { return inState(x, v1.AttemptDeletionPending) }), func(f *v1.Framework) { f.Spec.TaskRoles[0].TaskNumber = 1 })
		}},
		{"added Task does not count", Scale, "does not call for", func(s *scene) {
			s.edit(s.last(func(x Observation) bool { return inState(x, v1.AttemptDeletionPending) }), func(f *v1.Framework) { f.Spec.TaskRoles[0].TaskNumber = 3 })
		}},
		{"added Task does not count, whoever has classified the trigger", Scale, "does not call for", func(s *scene) {
			i := s.last(func(x Observation) bool { return inState(x, v1.AttemptDeletionPending) })
			s.edit(i, func(f *v1.Framework) {
				f.Spec.TaskRoles[0].TaskNumber = 3
				f.Status.AttemptStatus.CompletionStatus.Source = &v1.CompletionSource{Plugin: "classifier"}
				f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[1].AttemptStatus.CompletionStatus.Source = &v1.CompletionSource{Plugin: "classifier"}
			})
		}},
		{"flag taken back", FlagStays, "taken back", func(s *scene) {
			s.edit(s.at(flagged)+2, task(1, func(t *v1.TaskStatus) { t.DeletionPending = false }))
		}},
		{"Pod scaled away before the flag", FlagFirst, "before the flag", func(s *scene) {
			s.edit(s.at(flagged), task(1, func(t *v1.TaskStatus) { t.DeletionPending = false }))
		}},
		{"flag without an end", FlagEnds, "still flagged", func(s *scene) {
			s.h.Observations = s.h.Observations[:s.at(flagged)+1]
		}},
		{"Pod deleted before its outcome", StoredFirst, "without an outcome", func(s *scene) {
			s.move(s.at(podGone), s.at(podGone)-1)
		}},
		{"ConfigMap deleted before the outcome", StoredFirst, "without an outcome", func(s *scene) {
			i := s.at(func(x Observation) bool { return x.ConfigMap != nil && x.ConfigMap.DeletionTimestamp != nil })
			s.move(i, s.at(func(x Observation) bool { return inState(x, v1.AttemptDeletionPending) }))
		}},
		{"Framework deleted before it is Completed", StoredFirst, "before it was stored as Completed", func(s *scene) {
			f := s.lastFramework(s.at(podGone))
			s.insertObservation(s.at(podGone), Observation{Framework: f, Gone: true})
			s.ask(Request{Agent: us, Verb: "delete", Resource: v1.FrameworkPlural, Name: "f", UID: f.UID})
		}},
		{"attempt dropped before it is stored as completed", StoredFirst, "attempt 0 was dropped", func(s *scene) {
			i := s.at(func(x Observation) bool { return inState(x, v1.AttemptCompleted) })
			s.h.Observations = slices.Delete(s.h.Observations, i, i+1)
		}},
		{"Task removed before it is Completed", StoredFirst, "removed when it was stored as", func(s *scene) {
			i := s.at(flagged) + 3
			s.h.Observations = slices.Delete(s.h.Observations, i, i+2)
		}},
		{"retry beyond the policy", Counters, "against its policy", func(s *scene) {
			s.editAll(func(f *v1.Framework) { f.Spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = 0 })
		}},
		{"retry left out", Counters, "asks for a retry", func(s *scene) {
			s.editAll(func(f *v1.Framework) { f.Spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = 2 })
		}},
		{"retry counted though transient", Counters, "was counted", func(s *scene) {
			s.editAll(func(f *v1.Framework) {
				f.Spec.RetryPolicy.FancyRetryPolicy = true
				if c := f.Status; c != nil && c.AttemptStatus.CompletionStatus != nil && c.AttemptStatus.CompletionStatus.Code == 1 {
					c.AttemptStatus.CompletionStatus.Type.Attributes = []v1.CompletionTypeAttribute{v1.AttributeTransient}
				}
			})
		}},
		{"retries go back", Counters, "retries went from", func(s *scene) {
			s.insert(s.last(func(x Observation) bool { return inState(x, v1.Completed) })+1, func(f *v1.Framework) {
				f.Status.RetryPolicyStatus = v1.RetryPolicyStatus{}
			})
		}},
		{"second Pod for a recorded one", NoSecondRun, "is recorded", func(s *scene) {
			i := s.at(podGone)
			s.insertObservation(i, Observation{Pod: s.h.Observations[i].Pod, Gone: true})
			again := s.h.Observations[i].Pod.DeepCopy()
			again.UID = "again"
			s.insertObservation(i+1, Observation{Pod: again})
		}},
		{"deletes what is not its own", ForeignObjects, "not controlled by", func(s *scene) {
			s.foreign()
			s.ask(Request{Agent: us, Verb: "delete", Resource: "pods", Name: "foreign", UID: "foreign"})
		}},
		{"deletes a Pod of a foreign ConfigMap", ForeignObjects, "no Framework controls", func(s *scene) {
			s.copyPod(func(p *corev1.Pod) { p.Name, p.OwnerReferences[0].UID = "other", "cmX" })
			s.ask(Request{Agent: us, Verb: "delete", Resource: "pods", Name: "other", UID: "copy"})
		}},
		{"changes a Pod", ForeignObjects, "has sent patch", func(s *scene) {
			s.ask(Request{Agent: us, Verb: "patch", Resource: "pods", Name: "f-a-0"})
		}},
		{"writes a spec", StatusOnly, "has sent update", func(s *scene) {
			s.ask(Request{Agent: us, Verb: "update", Resource: v1.FrameworkPlural, Name: "f"})
		}},
		{"deletes what it could adopt", Adoption, "deleted although", func(s *scene) {
			created := s.at(func(x Observation) bool { return x.Pod != nil })
			p := s.h.Observations[created].Pod
			s.insertObservation(created+1, Observation{Pod: p, Gone: true})
			s.ask(Request{Agent: us, Verb: "delete", Resource: "pods", Name: p.Name, UID: p.UID})
		}},
		{"second Pod for one that it has deleted itself", NoSecondRun, "has deleted itself", func(s *scene) {
			created := s.at(func(x Observation) bool { return x.Pod != nil })
			early := s.h.Observations[created].Pod.DeepCopy()
			early.UID = "early"
			s.insertObservation(created, Observation{Pod: early})
			s.insertObservation(created+1, Observation{Pod: early, Gone: true})
			s.ask(Request{Agent: us, Verb: "delete", Resource: "pods", Name: early.Name, UID: "early"})
		}},
		{"Pod before its Task instance", FlagFirst, "before its Task instance was stored", func(s *scene) {
			s.copyPod(func(p *corev1.Pod) { p.Name, p.Annotations[v1.KeyTaskUID] = "other", "unheard of" })
		}},
		{"Pod of a Framework without a status", PodOfTask, "had no status", func(s *scene) {
			s.insert(s.at(podGone), func(f *v1.Framework) { f.Status = nil })
		}},
		{"records a ConfigMap of another attempt", Adoption, "it records ConfigMap", func(s *scene) {
			s.h.Observations[s.at(func(x Observation) bool { return x.ConfigMap != nil })].ConfigMap.Annotations[v1.KeyFrameworkAttemptID] = "5"
		}},
		{"evicts a Pod", ForeignObjects, "created a eviction", func(s *scene) {
			s.ask(Request{Agent: us, Verb: "create", Resource: "pods", Subresource: "eviction", Name: "f-a-0"})
		}},
		{"retry without a role", Counters, "after its role had gone", func(s *scene) {
			s.editAll(func(f *v1.Framework) { f.Spec.TaskRoles[0].Name = "b" })
		}},
		{"deletes a ConfigMap that it could adopt", Adoption, "that its Framework was waiting in", func(s *scene) {
			created := s.at(func(x Observation) bool { return x.ConfigMap != nil })
			s.insertObservation(created+1, Observation{ConfigMap: s.h.Observations[created].ConfigMap, Gone: true})
		}},
		{"records what was made for another attempt", Adoption, "which was made for", func(s *scene) {
			i := s.last(func(x Observation) bool { return x.Pod != nil && !x.Gone })
			s.h.Observations[i].Pod.Annotations[v1.KeyTaskAttemptID] = "3"
		}},
	}
	seen := map[Guarantee]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := life()
			tt.do(s)
			requireViolation(t, s.h, tt.want, tt.says)
		})
		seen[tt.want] = true
	}
	seen[Forward] = true // see TestNothingGoesBack
	for _, g := range []Guarantee{OnePod, PodOfTask, OneAttempt, NothingAfter, Scale, FlagStays, FlagFirst, FlagEnds, StoredFirst, Forward,
		Counters, AllEnded, NoSecondRun, ForeignObjects, StatusOnly, Adoption} {
		if !seen[g] {
			t.Errorf("no case for %s", g)
		}
	}
}

func requireViolation(t *testing.T, h History, want Guarantee, says string) {
	t.Helper()
	violations := Check(h, Options{Settled: true}).Violations
	found := slices.ContainsFunc(violations, func(v Violation) bool { return v.Guarantee == want && strings.Contains(v.String(), says) })
	if !found {
		t.Errorf("want %s %q, got %v", want, says, violations)
	}
}

// Histories that may look bad, and are allowed.
func TestAllowed(t *testing.T) {
	tests := []struct {
		name string
		do   func(*scene)
	}{
		{"deletes a Pod that was made before a restart that its Task waits for", func(s *scene) {
			created := s.at(func(x Observation) bool { return x.Pod != nil })
			early := s.h.Observations[created].Pod.DeepCopy()
			early.UID = "early"
			s.insertObservation(created, Observation{Pod: early})
			s.insert(created+1, task(0, func(t *v1.TaskStatus) { t.AttemptStatus.AwaitedRestart = &v1.AwaitedRestart{} }))
			s.insertObservation(created+2, Observation{Pod: early, Gone: true})
			s.insert(created+3, task(0, func(t *v1.TaskStatus) { t.AttemptStatus.AwaitedRestart = nil }))
			s.ask(Request{Agent: us, Verb: "delete", Resource: "pods", Name: early.Name, UID: "early"})
		}},
		{"others delete a Pod before its outcome", func(s *scene) {
			i := s.at(podGone)
			for j := range s.h.Requests {
				if s.h.Requests[j].UID == s.h.Observations[i].Pod.UID && s.h.Requests[j].Verb == "delete" {
					s.h.Requests[j].Agent = them
				}
			}
			s.move(i, i-1)
		}},
		{"others delete a Pod that is not recorded yet, and another takes its place", func(s *scene) {
			created := s.at(func(x Observation) bool { return x.Pod != nil })
			early := s.h.Observations[created].Pod.DeepCopy()
			early.UID = "early"
			s.insertObservation(created, Observation{Pod: early})
			s.insertObservation(created+1, Observation{Pod: early, Gone: true})
			s.ask(Request{Agent: us, Verb: "create", Resource: "pods", Name: early.Name, UID: "early"})
			s.ask(Request{Agent: them, Verb: "delete", Resource: "pods", Name: early.Name, UID: "early"})
		}},
		{"somebody else's objects", func(s *scene) {
			s.foreign()
			s.ask(Request{Agent: them, Verb: "delete", Resource: "pods", Name: "foreign", UID: "foreign"})
			s.ask(Request{Agent: them, Verb: "update", Resource: v1.FrameworkPlural, Name: "f"})
		}},
		{"a plugin that decides otherwise", func(s *scene) {
			s.editAll(func(f *v1.Framework) {
				f.Spec.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 2
				if f.Status != nil && f.Status.AttemptStatus.CompletionStatus != nil {
					f.Status.AttemptStatus.CompletionStatus.Source = &v1.CompletionSource{Plugin: "policy"}
				}
			})
		}},
		{"a refused request", func(s *scene) {
			s.foreign()
			s.ask(Request{Agent: us, Verb: "delete", Resource: "pods", Name: "foreign", UID: "foreign"})
			s.h.Requests[len(s.h.Requests)-1].Code = 409
		}},
		{"the controller deletes what others are deleting already", func(s *scene) {
			i := s.at(func(x Observation) bool { return x.Pod != nil }) + 1
			terminating := s.h.Observations[i-1].Pod.DeepCopy()
			terminating.UID, terminating.Name, terminating.DeletionTimestamp = "early", "other", &metav1.Time{}
			early := terminating.DeepCopy()
			early.DeletionTimestamp = nil
			s.insertObservation(i-1, Observation{Pod: early})
			s.insertObservation(i, Observation{Pod: terminating})
			s.insertObservation(i+1, Observation{Pod: terminating, Gone: true})
			for _, agent := range []string{them, us} {
				s.ask(Request{Agent: agent, Verb: "delete", Resource: "pods", Name: "other", UID: "early", Version: uint64(i + 1)})
			}
			s.ask(Request{Agent: them, Verb: "delete", Resource: "pods", Name: "other", UID: "early", Version: uint64(i + 2)})
		}},
		{"the answer to a deletion names a version before it", func(s *scene) {
			i := s.at(func(x Observation) bool { return x.Pod != nil }) + 1
			uid := s.h.Observations[i-1].Pod.UID
			s.insertObservation(i, s.h.Observations[i-1])
			s.ask(Request{Agent: them, Verb: "delete", Resource: "pods", UID: uid, Version: uint64(i + 2)})
			s.ask(Request{Agent: us, Verb: "delete", Resource: "pods", UID: uid, Version: uint64(i + 1)})
		}},
		{"observations out of order", func(s *scene) { slices.Reverse(s.h.Observations) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := life()
			tt.do(s)
			for _, v := range Check(s.h, Options{Settled: true}).Violations {
				t.Error(v)
			}
		})
	}
}

// Inside a gap nothing is a violation, and the undecided cases are counted.
func TestGap(t *testing.T) {
	s := life()
	i := s.at(podGone)
	s.move(i, i-1)
	version := inOrder(s.h.Observations)[i-1].Version
	s.h.Gaps = []Gap{{version, version}}
	report := Check(s.h, Options{Settled: true})
	if len(report.Violations) != 0 || len(report.Undecided) == 0 {
		t.Errorf("%v %v", report.Violations, report.Undecided)
	}
}

// A Pod that has ended, and that only a finalizer keeps, runs nothing: its Task and its attempt may end before it has gone. As
// long as it may run, they may not.
func TestHeldPods(t *testing.T) {
	now := metav1.Now()
	tests := map[string]struct {
		change func(*corev1.Pod)
		want   bool // whether there is something to report
	}{
		"has ended":          {func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, false},
		"never had a node":   {func(p *corev1.Pod) { p.Status.Phase, p.Spec.NodeName = corev1.PodPending, "" }, false},
		"may run":            {func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }, true},
		"may begin to run":   {func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }, true},
		"is not to go":       {func(p *corev1.Pod) { p.Status.Phase, p.DeletionTimestamp = corev1.PodFailed, nil }, true},
		"is kept by nothing": {func(p *corev1.Pod) { p.Status.Phase, p.Finalizers = corev1.PodFailed, nil }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := life()
			i := s.at(podGone)
			held := s.h.Observations[i].Pod.DeepCopy()
			held.DeletionTimestamp, held.Finalizers, held.Spec.NodeName = &now, []string{"example.com/keep"}, "node"
			test.change(held)
			s.h.Observations[i] = Observation{Version: s.h.Observations[i].Version, Pod: held}
			told := Check(s.h, Options{}).Violations
			if got := slices.ContainsFunc(told, func(v Violation) bool { return v.Guarantee == PodOfTask }); got != test.want {
				t.Errorf("told: %v", told)
			}
		})
	}
}

func podGone(x Observation) bool       { return x.Pod != nil && x.Gone }
func configMapGone(x Observation) bool { return x.ConfigMap != nil && x.Gone }

func inState(x Observation, s v1.State) bool {
	return x.Framework != nil && x.Framework.Status != nil && x.Framework.Status.State == s
}

func flagged(x Observation) bool {
	if x.Framework == nil || x.Framework.Status == nil {
		return false
	}
	tasks := x.Framework.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses
	return len(tasks) > 1 && tasks[1].DeletionPending
}

// at is where the first such observation is.
func (s *scene) at(is func(Observation) bool) int { return slices.IndexFunc(s.h.Observations, is) }

func (s *scene) last(is func(Observation) bool) int {
	for i := len(s.h.Observations) - 1; i >= 0; i-- {
		if is(s.h.Observations[i]) {
			return i
		}
	}
	return -1
}

// edit changes one version only, editAll each.
func (s *scene) edit(i int, change func(*v1.Framework)) {
	f := s.h.Observations[i].Framework.DeepCopy()
	change(f)
	s.h.Observations[i].Framework = f
}

func (s *scene) editAll(change func(*v1.Framework)) {
	for i := range s.h.Observations {
		if s.h.Observations[i].Framework != nil {
			s.edit(i, change)
		}
	}
}

func (s *scene) lastFramework(before int) *v1.Framework {
	for i := before - 1; ; i-- {
		if f := s.h.Observations[i].Framework; f != nil {
			return f
		}
	}
}

// insert stores a changed copy of the Framework there.
func (s *scene) insert(i int, change func(*v1.Framework)) {
	f := s.lastFramework(i).DeepCopy()
	change(f)
	s.insertObservation(i, Observation{Framework: f})
}

func (s *scene) insertObservation(i int, x Observation) {
	s.h.Observations = slices.Insert(s.h.Observations, i, x)
	s.renumber()
}

// move puts an observation to another place.
func (s *scene) move(from, to int) {
	x := s.h.Observations[from]
	s.h.Observations = slices.Delete(s.h.Observations, from, from+1)
	s.insertObservation(min(to, len(s.h.Observations)), x)
}

// renumber makes versions follow the order. Requests are not looked up by version, unless several have asked.
func (s *scene) renumber() {
	for i := range s.h.Observations {
		s.h.Observations[i].Version = uint64(i + 1)
	}
}

// copyPod adds a Pod like the first, while the first exists.
func (s *scene) copyPod(change func(*corev1.Pod)) {
	i := s.at(func(x Observation) bool { return x.Pod != nil })
	p := s.h.Observations[i].Pod.DeepCopy()
	p.UID = "copy"
	change(p)
	s.insertObservation(i+1, Observation{Pod: p})
}

func (s *scene) foreign() {
	s.insertObservation(len(s.h.Observations), Observation{Pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "foreign", UID: types.UID("foreign")}}})
}
