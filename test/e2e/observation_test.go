package e2e

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// fieldsOf are those of any object. A field that is missing, or is not what it should be, reads as empty: statuses
// may have been edited.
type fieldsOf map[string]any

func (f fieldsOf) at(name string) fieldsOf {
	value, _ := f[name].(map[string]any)
	return value
}

func (f fieldsOf) list(name string) []fieldsOf {
	var out []fieldsOf
	items, _ := f[name].([]any)
	for _, item := range items {
		fields, _ := item.(map[string]any)
		out = append(out, fields)
	}
	return out
}

func (f fieldsOf) text(name string) string {
	value, _ := f[name].(string)
	return value
}

func (f fieldsOf) number(name string) int64 {
	value, _ := f[name].(int64)
	return value
}

func (f fieldsOf) is(name string) bool {
	value, _ := f[name].(bool)
	return value
}

// outcome reads the completion status of an attempt.
func (f fieldsOf) outcome() (decided bool, code completion.Code) {
	c := f.at("completionStatus")
	return c != nil, completion.Code(c.number("code"))
}

func (f fieldsOf) retries() retriesSeen {
	r := f.at("retryPolicyStatus")
	return retriesSeen{r.number("totalRetriedCount"), r.number("accountableRetriedCount")}
}

func seeFramework(o *unstructured.Unstructured) *frameworkSeen {
	status := fieldsOf(o.Object).at("status")
	attempt := status.at("attemptStatus")
	out := &frameworkSeen{
		name:         o.GetName(),
		uid:          string(o.GetUID()),
		state:        status.text("state"),
		configMapUID: attempt.text("configMapUID"),
		attempt:      attempt.number("id"),
		retries:      status.retries(),
		tasks:        map[string]taskSeen{},
	}
	out.decided, out.code = attempt.outcome()
	for _, role := range attempt.list("taskRoleStatuses") {
		for _, task := range role.list("taskStatuses") {
			out.tasks[task.at("attemptStatus").text("podName")] = seeTask(task)
		}
	}
	return out
}

func seeTask(task fieldsOf) taskSeen {
	attempt := task.at("attemptStatus")
	out := taskSeen{
		uid:             task.text("instanceUID"),
		podUID:          attempt.text("podUID"),
		state:           task.text("state"),
		attempt:         attempt.number("id"),
		deletionPending: task.is("deletionPending"),
		retries:         task.retries(),
	}
	out.decided, out.code = attempt.outcome()
	return out
}

func isHeld(p *corev1.Pod) bool {
	over := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed ||
		p.Status.Phase == corev1.PodPending && p.Spec.NodeName == ""
	return p.DeletionTimestamp != nil && len(p.Finalizers) > 0 && over
}

func seePod(p *corev1.Pod) *podSeen {
	return &podSeen{
		name:         p.Name,
		uid:          string(p.UID),
		framework:    p.Annotations[v1.KeyFrameworkName],
		frameworkUID: p.Annotations[v1.KeyFrameworkUID],
		configMapUID: p.Annotations[v1.KeyConfigMapUID],
		task:         p.Annotations[v1.KeyTaskUID],
		attempt:      p.Annotations[v1.KeyTaskAttemptID],
	}
}
