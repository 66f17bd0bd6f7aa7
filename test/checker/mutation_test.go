package checker

import (
	"reflect"
	"slices"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Wherever in a life a status is followed by a different one that was stored before it, a violation is reported (P2). Only the spec may go
// back.
func TestNothingGoesBack(t *testing.T) {
	clean := life().h
	versions := frameworkVersions(clean)
	tried := 0
	for n, i := range versions {
		for _, earlier := range versions[:n] {
			a, b := clean.Observations[earlier].Framework, clean.Observations[i].Framework
			if reflect.DeepEqual(a.Status, b.Status) {
				continue
			}
			s := &scene{h: clone(clean)}
			s.insertObservation(i+1, Observation{Framework: a})
			tried++
			if len(Check(s.h, Options{}).Violations) == 0 {
				t.Errorf("the status at %d was followed by that at %d, and nobody was told", i, earlier)
			}
		}
	}
	t.Logf("%d histories", tried)
}

// If the creation of an object is moved before the first status that calls for it, a violation is reported (P1), as if a deletion by the
// controller is moved before the status with the outcome.
func TestNothingComesFirst(t *testing.T) {
	clean := life().h
	tried := 0
	for i, x := range clean.Observations {
		justified := justification(clean, x, func(r Request) bool { return r.Agent == us })
		if justified < 0 {
			continue
		}
		s := &scene{h: clone(clean)}
		s.move(i, justified)
		tried++
		told := Check(s.h, Options{}).Violations
		if !slices.ContainsFunc(told, func(v Violation) bool { return v.Guarantee == StoredFirst }) {
			t.Errorf("observation %d came before the status at %d, and this was told: %v", i, justified, told)
		}
	}
	if tried < 15 {
		t.Errorf("tried with %d histories", tried)
	}
}

// justification is the index of the first status that calls for an observation; negative if it needs none.
func justification(h History, x Observation, ours func(Request) bool) int {
	first := func(is func(*framework) bool) int {
		return slices.IndexFunc(h.Observations, func(x Observation) bool {
			return x.Framework != nil && x.Framework.Status != nil && !x.Gone && is(newFramework(x.Framework))
		})
	}
	byOthers := slices.ContainsFunc(h.Requests, func(r Request) bool {
		return r.Verb == "delete" && x.object().GetUID() == r.UID && !ours(r)
	})
	switch {
	case x.ConfigMap != nil && !configMapPurpose(x.ConfigMap).ours() || x.Pod != nil && !podPurpose(x.Pod).ours():
		return -1
	case x.ConfigMap != nil && x.ConfigMap.DeletionTimestamp == nil:
		id := configMapPurpose(x.ConfigMap).frameworkAttempt
		return first(func(f *framework) bool {
			return f.UID == configMapPurpose(x.ConfigMap).frameworkUID && strconv.Itoa(int(f.attempt().ID)) == id
		})
	case x.ConfigMap != nil && !x.Gone && !byOthers:
		return first(func(f *framework) bool { return uidOf(f.attempt().ConfigMapUID) == x.ConfigMap.UID && f.completing() })
	case x.Pod != nil && !x.Gone && x.Pod.DeletionTimestamp == nil:
		made := podPurpose(x.Pod)
		return first(func(f *framework) bool {
			task := f.tasks[made.place]
			return task != nil && uidOf(f.attempt().ConfigMapUID) == made.configMapUID && attemptOf(task) == made.attempt()
		})
	case x.Pod != nil && !byOthers:
		return first(func(f *framework) bool {
			task := f.tasks[podPurpose(x.Pod).place]
			return task != nil && uidOf(task.AttemptStatus.PodUID) == x.Pod.UID && task.AttemptStatus.CompletionStatus != nil
		})
	}
	return -1
}

// A recorded value may not change in a later status of the same attempt (P2).
func TestRecordedValuesStay(t *testing.T) {
	changes := map[string]func(*v1.Framework) bool{
		"configMapUID": func(f *v1.Framework) bool { return replace(f.Status.AttemptStatus.ConfigMapUID) },
		"outcome": func(f *v1.Framework) bool {
			c := f.Status.AttemptStatus.CompletionStatus
			if c != nil {
				c.Code += 77
			}
			return c != nil
		},
		"podUID": func(f *v1.Framework) bool { return replace(firstTask(f).AttemptStatus.PodUID) },
		"outcome of a Task": func(f *v1.Framework) bool {
			c := firstTask(f).AttemptStatus.CompletionStatus
			if c != nil {
				c.Code += 77
			}
			return c != nil
		},
		"retries": func(f *v1.Framework) bool { f.Status.RetryPolicyStatus.TotalRetriedCount++; return true },
		"retries of a Task": func(f *v1.Framework) bool {
			firstTask(f).RetryPolicyStatus.AccountableRetriedCount--
			return true
		},
		"index gone": func(f *v1.Framework) bool {
			f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses = f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[1:]
			return true
		},
	}
	clean := life().h
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			tried := 0
			for _, i := range frameworkVersions(clean) {
				s := &scene{h: clone(clean)}
				applied := false
				s.insert(i+1, func(f *v1.Framework) { applied = change(f) })
				if !applied {
					continue
				}
				tried++
				if len(Check(s.h, Options{}).Violations) == 0 {
					t.Errorf("changed after observation %d, and nobody was told", i)
				}
			}
			if tried == 0 {
				t.Error("never tried")
			}
		})
	}
}

func firstTask(f *v1.Framework) *v1.TaskStatus {
	return &f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
}

func replace(uid *types.UID) bool {
	if uid != nil {
		*uid = "another"
	}
	return uid != nil
}

// frameworkVersions is where the versions with a status are.
func frameworkVersions(h History) (at []int) {
	for i, x := range h.Observations {
		if x.Framework != nil && x.Framework.Status != nil {
			at = append(at, i)
		}
	}
	return at
}

func clone(h History) History {
	return History{Observations: slices.Clone(h.Observations), Requests: slices.Clone(h.Requests)}
}
