package checker

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// scene writes the history of one Framework, f, with role a.
type scene struct {
	h       History
	version uint64
	f       *v1.Framework
	pods    map[string]*corev1.Pod // existing Pods
	cm      *corev1.ConfigMap
	uids    int
}

const (
	us   = "frameworkcontroller/dev"
	them = "kubectl/1"
)

func (s *scene) uid(of string) types.UID {
	s.uids++
	return types.UID(fmt.Sprintf("%s%d", of, s.uids))
}

func (s *scene) next() uint64 {
	s.version++
	return s.version
}

func (s *scene) see(x Observation) { s.h.Observations = append(s.h.Observations, x) }

// store writes a version of the Framework.
func (s *scene) store(changes ...func(*v1.Framework)) {
	f := s.f.DeepCopy()
	for _, change := range changes {
		change(f)
	}
	s.f = f
	s.see(Observation{Version: s.next(), Framework: f})
	s.ask(Request{Agent: us, Verb: "update", Group: v1.GroupName, Resource: v1.FrameworkPlural, Subresource: "status", Name: "f", Version: s.version})
}

func (s *scene) ask(r Request) {
	r.Namespace, r.Code = "n", 200
	s.h.Requests = append(s.h.Requests, r)
}

func state(x v1.State) func(*v1.Framework) { return func(f *v1.Framework) { f.Status.State = x } }

// task changes the status of a Task of role a.
func task(i int, change func(*v1.TaskStatus)) func(*v1.Framework) {
	return func(f *v1.Framework) { change(&f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[i]) }
}

func taskState(i int, x v1.State) func(*v1.Framework) {
	return task(i, func(t *v1.TaskStatus) { t.State = x })
}

func decided(i int, s v1.CompletionStatus) func(*v1.Framework) {
	return task(i, func(t *v1.TaskStatus) {
		t.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: s}
	})
}

func attemptDecided(s v1.CompletionStatus, trigger *v1.CompletionTrigger) func(*v1.Framework) {
	return func(f *v1.Framework) {
		f.Status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{CompletionStatus: s, Trigger: trigger}
	}
}

var (
	success = v1.CompletionStatus{Code: 0, Phrase: "Succeeded", Type: v1.CompletionType{Name: v1.CompletionSucceeded}}
	failure = v1.CompletionStatus{Code: 1, Phrase: "ContainerUnrecognizedFailed", Type: v1.CompletionType{Name: v1.CompletionFailed}}
	removal = v1.CompletionStatus{Code: -230, Phrase: "DeleteTaskRequested", Type: v1.CompletionType{Name: v1.CompletionFailed}}
)

func trigger(i int32) *v1.CompletionTrigger {
	return &v1.CompletionTrigger{TaskRoleName: "a", TaskIndex: i}
}

func (s *scene) freshTask(i int) v1.TaskStatus {
	return v1.TaskStatus{Index: int32(i), InstanceUID: string(s.uid("task")), State: v1.AttemptCreationPending,
		AttemptStatus: v1.TaskAttemptStatus{PodName: v1.PodName("f", "a", int32(i))}}
}

func (s *scene) freshAttempt(id int32, tasks int) v1.FrameworkAttemptStatus {
	out := v1.FrameworkAttemptStatus{ID: id, ConfigMapName: v1.ConfigMapName("f"),
		TaskRoleStatuses: []v1.TaskRoleStatus{{Name: "a", InstanceUID: "role"}}}
	for i := range tasks {
		out.TaskRoleStatuses[0].TaskStatuses = append(out.TaskRoleStatuses[0].TaskStatuses, s.freshTask(i))
	}
	return out
}

func (s *scene) createConfigMap() {
	yes := true
	s.cm = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "f-attempt", UID: s.uid("cm"),
		Annotations:     map[string]string{v1.KeyFrameworkAttemptID: strconv.Itoa(int(s.f.Status.AttemptStatus.ID))},
		OwnerReferences: []metav1.OwnerReference{{Kind: "Framework", Name: "f", UID: s.f.UID, Controller: &yes}}}}
	s.see(Observation{Version: s.next(), ConfigMap: s.cm})
	s.ask(Request{Agent: us, Verb: "create", Resource: "configmaps", Name: s.cm.Name, UID: s.cm.UID, Version: s.version})
	uid := s.cm.UID
	s.store(state(v1.AttemptCreationRequested), func(f *v1.Framework) { f.Status.AttemptStatus.ConfigMapUID = &uid })
	s.store(state(v1.AttemptPreparing))
}

func (s *scene) deleteConfigMap() {
	deleting := s.cm.DeepCopy()
	deleting.DeletionTimestamp = &metav1.Time{}
	s.see(Observation{Version: s.next(), ConfigMap: deleting})
	s.ask(Request{Agent: us, Verb: "delete", Resource: "configmaps", Name: s.cm.Name, UID: s.cm.UID, Version: s.version})
	s.see(Observation{Version: s.next(), ConfigMap: deleting, Gone: true})
}

// run creates the Pod of a Task, and stores that it runs.
func (s *scene) run(i int) {
	p := s.createPod(i)
	uid := p.UID
	s.store(taskState(i, v1.AttemptCreationRequested), task(i, func(t *v1.TaskStatus) { t.AttemptStatus.PodUID = &uid }))
	s.store(state(v1.AttemptRunning), taskState(i, v1.AttemptRunning))
}

func (s *scene) createPod(i int) *corev1.Pod {
	yes, t := true, s.f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[i]
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: t.AttemptStatus.PodName, UID: s.uid("pod"),
		OwnerReferences: []metav1.OwnerReference{{Kind: "ConfigMap", Name: s.cm.Name, UID: s.cm.UID, Controller: &yes}},
		Annotations: map[string]string{
			v1.KeyFrameworkName: "f", v1.KeyFrameworkUID: string(s.f.UID), v1.KeyTaskRoleName: "a", v1.KeyTaskIndex: strconv.Itoa(i),
			v1.KeyFrameworkAttemptID: strconv.Itoa(int(s.f.Status.AttemptStatus.ID)),
			v1.KeyTaskUID:            t.InstanceUID, v1.KeyTaskAttemptID: strconv.Itoa(int(t.AttemptStatus.ID)),
		}}}
	s.pods[p.Name] = p
	s.see(Observation{Version: s.next(), Pod: p})
	s.ask(Request{Agent: us, Verb: "create", Resource: "pods", Name: p.Name, UID: p.UID, Version: s.version})
	return p
}

func (s *scene) deletePod(i int, agent string) {
	p := s.pods[v1.PodName("f", "a", int32(i))]
	s.see(Observation{Version: s.next(), Pod: p, Gone: true})
	s.ask(Request{Agent: agent, Verb: "delete", Resource: "pods", Name: p.Name, UID: p.UID, Version: s.version})
}

// end lets a Task end like that, with its Pod.
func (s *scene) end(i int, outcome v1.CompletionStatus) {
	s.store(taskState(i, v1.AttemptDeletionPending), decided(i, outcome))
	s.deletePod(i, us)
	s.store(taskState(i, v1.AttemptCompleted))
}

func newScene(tasks int) *scene {
	s := &scene{pods: map[string]*corev1.Pod{}}
	s.f = &v1.Framework{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "f", UID: "F"}, Spec: v1.FrameworkSpec{
		RetryPolicy: v1.RetryPolicySpec{MaxRetryCount: 1},
		TaskRoles: []v1.TaskRoleSpec{{Name: "a", TaskNumber: int32(tasks),
			FrameworkAttemptCompletionPolicy: v1.CompletionPolicySpec{MinFailedTaskCount: 1, MinSucceededTaskCount: -1},
			Task:                             v1.TaskSpec{RetryPolicy: v1.RetryPolicySpec{MaxRetryCount: 1}}}},
	}}
	s.see(Observation{Version: s.next(), Framework: s.f})
	return s
}

// life has no fault: a Task is retried and fails again, so the Framework is retried; then a Task is removed by a scale-down and added again
// as another, and all succeed.
func life() *scene {
	s := newScene(2)
	s.store(func(f *v1.Framework) {
		f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 2)}
	})
	s.createConfigMap()
	s.run(0)
	s.run(1)
	s.end(0, failure)
	s.store(task(0, func(t *v1.TaskStatus) {
		t.State, t.RetryPolicyStatus = v1.AttemptCreationPending, v1.RetryPolicyStatus{TotalRetriedCount: 1, AccountableRetriedCount: 1}
		t.AttemptStatus = v1.TaskAttemptStatus{ID: 1, PodName: t.AttemptStatus.PodName}
	}))
	s.run(0)
	s.end(0, failure)
	s.store(state(v1.AttemptDeletionPending), taskState(0, v1.Completed), attemptDecided(failure, trigger(0)),
		decided(1, v1.CompletionStatus{Code: -220, Phrase: "FrameworkAttemptCompletion", Type: v1.CompletionType{Name: v1.CompletionFailed}}))
	s.deletePod(1, "garbage-collector")
	s.deleteConfigMap()
	s.store(state(v1.AttemptCompleted), taskState(1, v1.Completed))
	s.store(func(f *v1.Framework) {
		f.Status.State = v1.AttemptCreationPending
		f.Status.RetryPolicyStatus = v1.RetryPolicyStatus{TotalRetriedCount: 1, AccountableRetriedCount: 1}
		f.Status.AttemptStatus = s.freshAttempt(1, 2)
	})
	s.createConfigMap()
	s.run(0)
	s.run(1)
	s.rescale()
	s.end(0, success)
	s.store(taskState(0, v1.Completed))
	s.end(1, success)
	s.store(state(v1.AttemptDeletionPending), taskState(1, v1.Completed), attemptDecided(success, trigger(1)))
	s.deleteConfigMap()
	s.store(state(v1.AttemptCompleted))
	s.store(state(v1.Completed))
	return s
}

// rescale removes Task 1 and brings it back.
func (s *scene) rescale() {
	s.store(func(f *v1.Framework) { f.Spec.TaskRoles[0].TaskNumber = 1 })
	s.h.Requests[len(s.h.Requests)-1].Agent, s.h.Requests[len(s.h.Requests)-1].Subresource = them, ""
	s.store(task(1, func(t *v1.TaskStatus) { t.DeletionPending = true }), decided(1, removal), taskState(1, v1.AttemptDeletionPending))
	s.deletePod(1, us)
	s.store(taskState(1, v1.AttemptCompleted))
	s.store(taskState(1, v1.Completed))
	s.store(func(f *v1.Framework) { f.Spec.TaskRoles[0].TaskNumber = 2 })
	s.h.Requests[len(s.h.Requests)-1].Agent, s.h.Requests[len(s.h.Requests)-1].Subresource = them, ""
	s.store(task(1, func(t *v1.TaskStatus) { *t = s.freshTask(1) }))
	s.run(1)
}
