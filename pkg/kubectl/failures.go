package kubectl

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// failure is a Task attempt whose Pod has failed by itself, and its original judgment.
type failure struct {
	// owner has the name of the Framework, and other metadata as far as it is known.
	owner *metav1.ObjectMeta
	// uses is spec.plugins of the Framework.
	uses    []v1.PluginUse
	attempt int32 // attempt of the Framework
	role    string
	task    *v1.TaskStatus
	// policy is the Task's retry policy; nil if its role is gone.
	policy *v1.RetryPolicySpec
	// roleSpec has the retry policies of the Task's role, which has been restarted on its own roleRetried times; nil if unknown.
	roleSpec    *v1.TaskRoleSpec
	roleRetried int32
	// whole is the Framework, if this failure has ended its attempt; nil otherwise.
	whole *stored
	// pod is the Pod from the history; nil if the history lacks it.
	pod *corev1.Pod
	// asked is the question from the history server, without labels and annotations of the Framework; nil for other sources.
	asked *pluginpb.FailedPod
}

func (f *failure) was() v1.CompletionStatus {
	return f.task.AttemptStatus.CompletionStatus.CompletionStatus
}

// uid is the UID of the Pod; empty if it is not known.
func (f *failure) uid() types.UID {
	if uid := f.task.AttemptStatus.PodUID; uid != nil {
		return *uid
	}
	return ""
}

// failures returns each known failed Pod once; the Pods of a Task are in the order of its attempts.
func (s *saved) failures() (all []*failure) {
	seen := map[types.UID]bool{}
	add := func(f *failure) {
		end := f.task.AttemptStatus.CompletionStatus
		if end == nil || end.Pod == nil || end.Type.Name != v1.CompletionFailed {
			return
		}
		uid := f.uid()
		if uid != "" && seen[uid] {
			return
		}
		seen[uid] = true
		f.pod = s.pods[uid]
		all = append(all, f)
	}
	for _, of := range s.frameworks {
		of.eachFailed(add)
	}
	for _, t := range s.tasks {
		add(t.failure(s.frameworks))
	}
	for _, f := range s.judged {
		add(f)
	}
	slices.SortStableFunc(all, func(a, b *failure) int {
		return cmp.Or(cmp.Compare(a.attempt, b.attempt), cmp.Compare(a.task.AttemptStatus.ID, b.task.AttemptStatus.ID))
	})
	return all
}

// eachFailed visits the failed Tasks of a Framework's current attempt.
func (s *stored) eachFailed(visit func(*failure)) {
	if s.broken != nil || s.Status == nil {
		return
	}
	a := &s.Status.AttemptStatus
	for i := range a.TaskRoleStatuses {
		role := &a.TaskRoleStatuses[i]
		for j := range role.TaskStatuses {
			f := &failure{owner: &s.ObjectMeta, uses: s.Spec.Plugins, attempt: a.ID, role: role.Name, task: &role.TaskStatuses[j]}
			if spec := s.roleOf(role.Name); spec != nil {
				f.policy, f.roleSpec, f.roleRetried = &spec.Task.RetryPolicy, spec, role.RetriedCount
			}
			if s.endedBy(f) {
				f.whole = s
			}
			visit(f)
		}
	}
}

func (s *stored) roleOf(name string) *v1.TaskRoleSpec {
	if i := roleIndex(s.Spec.TaskRoles, name); i >= 0 {
		return &s.Spec.TaskRoles[i]
	}
	return nil
}

// endedBy reports whether this failure has ended the attempt of the Framework with the same result.
func (s *stored) endedBy(f *failure) bool {
	end, own := s.Status.AttemptStatus.CompletionStatus, f.task.AttemptStatus.CompletionStatus
	return end != nil && end.Trigger != nil && own != nil && end.Code == own.Code && end.Phrase == own.Phrase &&
		end.Trigger.TaskRoleName == f.role && end.Trigger.TaskIndex == f.task.Index
}

// failure returns the failure of a Task of the history, with the known facts about its Framework.
func (t *savedTask) failure(known []*stored) *failure {
	m := &t.Metadata
	f := &failure{
		owner:   &metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Labels[v1.KeyFrameworkName], UID: types.UID(m.Annotations[v1.KeyFrameworkUID])},
		attempt: numberIn(m.Annotations[v1.KeyFrameworkAttemptID]), role: m.Labels[v1.KeyTaskRoleName], task: t.Status,
	}
	if t.Spec != nil {
		f.policy = &t.Spec.RetryPolicy
		if role := t.TaskRole; role != nil {
			f.roleSpec, f.roleRetried = &v1.TaskRoleSpec{Task: *t.Spec, RetryPolicy: role.RetryPolicy}, role.RetriedCount
		}
	}
	for _, s := range known {
		if s.UID == f.owner.UID && s.UID != "" {
			f.owner, f.uses = &s.ObjectMeta, s.Spec.Plugins
		}
	}
	return f
}

func numberIn(text string) int32 {
	n, _ := strconv.ParseInt(text, 10, 32)
	return int32(n)
}

// frameworkKey identifies a Framework, and distinguishes Frameworks of the same name.
func (f *failure) frameworkKey() string {
	return fmt.Sprintf("%s/%s/%s", f.owner.Namespace, f.owner.Name, f.owner.UID)
}

// taskKey identifies an instance of a Task. All its attempts have the same key.
func (f *failure) taskKey() string {
	return fmt.Sprintf("%s/%d/%s/%d/%s", f.frameworkKey(), f.attempt, f.role, f.task.Index, f.task.InstanceUID)
}
