package checker

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Where others delete Pods only while these run and are recorded, more is ruled out, without an audit log too.
func TestUndisturbed(t *testing.T) {
	tests := []struct {
		name string
		want Guarantee // empty: nothing is violated
		says string
		do   func(*scene)
	}{
		{"a life", "", "", func(*scene) {}},
		{"Pod created again", NoSecondRun, "created again in attempt 0", func(s *scene) {
			created := s.at(func(x Observation) bool { return x.Pod != nil })
			early := s.h.Observations[created].Pod.DeepCopy()
			early.UID = "early"
			s.insertObservation(created, Observation{Pod: early})
			s.insertObservation(created+1, Observation{Pod: early, Gone: true})
		}},
		{"Pod gone before its outcome", StoredFirst, "had gone before the outcome 1 was stored", func(s *scene) {
			s.move(s.at(podGone), s.at(podGone)-1)
		}},
		{"Pod held before its outcome", StoredFirst, "had gone before the outcome 1 was stored", func(s *scene) {
			held := s.h.Observations[s.at(podGone)].Pod.DeepCopy()
			held.DeletionTimestamp, held.Finalizers, held.Status.Phase = &metav1.Time{}, []string{"example.com/keep"}, corev1.PodFailed
			s.insertObservation(s.at(podGone)-1, Observation{Pod: held})
		}},
		{"Pod deleted by others", "", "", func(s *scene) {
			s.move(s.at(podGone), s.at(podGone)-1)
			s.editAll(outcomeOf(0, 1, podExternalDeleted))
		}},
		{"Pod deleted with its Framework", "", "", func(s *scene) {
			s.deletedEarly()
			configMap := s.h.Observations[s.at(func(x Observation) bool { return x.ConfigMap != nil })].ConfigMap.DeepCopy()
			configMap.DeletionTimestamp = &metav1.Time{}
			s.insertObservation(s.at(podGone), Observation{ConfigMap: configMap})
		}},
		{"Pod deleted before the ConfigMap of its Framework", StoredFirst, "had gone before the outcome 1 was stored", func(s *scene) {
			s.deletedEarly()
		}},
		{"Pod gone before its attempt was ended by another Task", StoredFirst, "had gone before the outcome -220 was stored", func(s *scene) {
			s.goneBeforeTheEnd()
		}},
		{"ConfigMap deleted by others", "", "", func(s *scene) {
			s.goneBeforeTheEnd()
			s.editAll(func(f *v1.Framework) {
				if f.Status != nil && f.Status.AttemptStatus.CompletionStatus != nil {
					f.Status.AttemptStatus.CompletionStatus.Code = configMapExternalDeleted
				}
			})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := life()
			tt.do(s)
			s.h.Requests = nil
			told := Check(s.h, Options{Undisturbed: true}).Violations
			found := slices.ContainsFunc(told, func(v Violation) bool { return v.Guarantee == tt.want && strings.Contains(v.Evidence, tt.says) })
			if found != (tt.want != "") || !found && len(told) > 0 {
				t.Errorf("want %s %q, got %v", tt.want, tt.says, told)
			}
			for _, v := range Check(s.h, Options{}).Violations {
				t.Errorf("where others may delete any Pod, there is told: %v", v)
			}
		})
	}
}

// deletedEarly lets the first Pod go before its outcome is stored, while the Framework is being deleted.
func (s *scene) deletedEarly() {
	s.move(s.at(podGone), s.at(podGone)-1)
	s.editAll(func(f *v1.Framework) { f.DeletionTimestamp = &metav1.Time{} })
}

// goneBeforeTheEnd lets the Pod of Task 1 go before its first attempt is decided.
func (s *scene) goneBeforeTheEnd() {
	i := s.at(func(x Observation) bool { return inState(x, v1.AttemptDeletionPending) })
	s.move(i+1, i)
}

// outcomeOf gives a Task another code where it has the one.
func outcomeOf(i int, from, to int32) func(*v1.Framework) {
	return func(f *v1.Framework) {
		if f.Status == nil || len(f.Status.AttemptStatus.TaskRoleStatuses) == 0 {
			return
		}
		if c := f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[i].AttemptStatus.CompletionStatus; c != nil && c.Code == from {
			c.Code = to
		}
	}
}
