package history

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// taskKind is the kind of an object that exists only in the log.
const taskKind = "Task"

// Task is a Task as stored within its Framework.
type Task struct {
	// Attempt is the Framework attempt of the Task.
	Attempt *v1.FrameworkAttemptStatus
	Role    v1.TaskRoleStatus
	// Spec of the Task's role; nil if the role is gone.
	Spec   *v1.TaskSpec
	Status *v1.TaskStatus
	// RoleRetryPolicy is the policy for the role as a whole; nil if it has none.
	RoleRetryPolicy *v1.RoleRetryPolicySpec
}

// TaskRetry logs a Task attempt that is about to be replaced.
func (l *Log) TaskRetry(f *metav1.ObjectMeta, t Task) {
	if l.switches.OnTaskRetry {
		l.write(t.about(f), "Task will be retried", "OnTaskRetry", t.object(f))
	}
}

// TaskDeletion logs a Task that a scale-down removes or replaces.
func (l *Log) TaskDeletion(f *metav1.ObjectMeta, t Task) {
	if !l.switches.OnTaskDeletion {
		return
	}
	object, now := t.object(f), metav1.NewTime(l.now())
	object.Metadata.DeletionTimestamp, object.Metadata.DeletionGracePeriodSeconds = &now, new(int64)
	l.write(t.about(f), "Task will be deleted", "OnTaskDeletion", object)
}

func (t Task) about(f *metav1.ObjectMeta) string {
	return "[" + f.Namespace + "/" + f.Name + "][" + t.Role.Name + "][" + strconv.Itoa(int(t.Status.Index)) + "]"
}

type taskObject struct {
	Kind       string            `json:"kind"`
	APIVersion string            `json:"apiVersion"`
	Metadata   metav1.ObjectMeta `json:"metadata"`
	Spec       *v1.TaskSpec      `json:"spec"`
	Status     *v1.TaskStatus    `json:"status"`
	// TaskRole is omitted unless the role can restart as a whole, which the original does not support.
	TaskRole *RoleRetries `json:"taskRole,omitempty"`
}

// RoleRetries are the retries of a Task's role as a whole, beside the Task's own.
type RoleRetries struct {
	RetryPolicy  *v1.RoleRetryPolicySpec `json:"retryPolicy"`
	RetriedCount int32                   `json:"retriedCount"`
}

func (t Task) object(f *metav1.ObjectMeta) taskObject {
	var role *RoleRetries
	if t.RoleRetryPolicy != nil {
		role = &RoleRetries{t.RoleRetryPolicy, t.Role.RetriedCount}
	}
	return taskObject{
		Kind:       taskKind,
		APIVersion: v1.SchemeGroupVersion.String(),
		Metadata: metav1.ObjectMeta{
			Name:              v1.PodName(f.Name, t.Role.Name, t.Status.Index),
			Namespace:         f.Namespace,
			UID:               types.UID(t.Status.InstanceUID),
			ResourceVersion:   f.ResourceVersion,
			Generation:        f.Generation,
			CreationTimestamp: t.Status.StartTime,
			Labels:            t.labels(f),
			Annotations:       t.annotations(f),
		},
		Spec:     t.Spec,
		Status:   t.Status,
		TaskRole: role,
	}
}

func (t Task) labels(f *metav1.ObjectMeta) map[string]string {
	return map[string]string{
		v1.KeyFrameworkName: f.Name,
		v1.KeyTaskRoleName:  t.Role.Name,
		v1.KeyTaskIndex:     strconv.Itoa(int(t.Status.Index)),
	}
}

// annotations returns the annotations of the contract, 1.5: fewer than a Pod has.
func (t Task) annotations(f *metav1.ObjectMeta) map[string]string {
	out := t.labels(f)
	out[v1.KeyFrameworkNamespace] = f.Namespace
	out[v1.KeyConfigMapName] = t.Attempt.ConfigMapName
	out[v1.KeyFrameworkUID] = string(f.UID)
	out[v1.KeyFrameworkAttemptID] = strconv.Itoa(int(t.Attempt.ID))
	out[v1.KeyTaskRoleUID] = t.Role.InstanceUID
	if t.Attempt.InstanceUID != nil {
		out[v1.KeyFrameworkAttemptInstanceUID] = *t.Attempt.InstanceUID
	}
	if t.Attempt.ConfigMapUID != nil {
		out[v1.KeyConfigMapUID] = string(*t.Attempt.ConfigMapUID)
	}
	return out
}
