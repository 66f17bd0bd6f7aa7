package explain

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Facts are the input of an answer about a Framework. Package explain changes none of them.
type Facts struct {
	// Framework with its roles decompressed. Its status is nil before a controller has seen it.
	Framework *v1.Framework
	// Pods are the Pods that the function Pods has named, as far as they exist.
	Pods []corev1.Pod
	// Events of the Framework, its ConfigMap, these Pods and their Claims, in any order.
	Events []corev1.Event
	// Items are the lists of items that were read from ConfigMaps, by role; lists in the spec may be left out.
	Items map[string]*items.List
	// Now is the time at which the other facts were read.
	Now time.Time
}

// mostPods bounds how many Pods are looked at. A few are enough to tell what the matter is.
const mostPods = 5

// Pods names the Pods that an answer about a Framework looks at: the Pod that the Framework waits for, the Pod of the Task
// that decided the attempt, and the Pods of the first Tasks in trouble. It returns nil for a Framework without a status.
func Pods(f *v1.Framework) []string {
	if f.Status == nil {
		return nil
	}
	var names []string
	if w := waitOf(f); w != nil && w.pod != "" {
		names = append(names, w.pod)
	}
	if s := f.Status.AttemptStatus.CompletionStatus; s != nil && s.Trigger != nil {
		names = append(names, v1.PodName(f.Name, s.Trigger.TaskRoleName, s.Trigger.TaskIndex))
	}
	for _, role := range f.Status.AttemptStatus.TaskRoleStatuses {
		for i := range role.TaskStatuses {
			if len(names) < mostPods && inTrouble(&role.TaskStatuses[i]) {
				names = append(names, v1.PodName(f.Name, role.Name, role.TaskStatuses[i].Index))
			}
		}
	}
	return names
}

// Claims names the PersistentVolumeClaims that an answer looks at beside a Pod: claims that may keep it from getting a node.
func Claims(pod *corev1.Pod) (names []string) {
	if pod.Spec.NodeName != "" || pod.Status.Phase != corev1.PodPending {
		return nil
	}
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil && len(names) < mostClaims {
			names = append(names, v.PersistentVolumeClaim.ClaimName)
		}
	}
	return names
}

// mostClaims bounds how many claims of a Pod are looked at.
const mostClaims = 5

// known are facts that can be asked.
type known struct {
	Facts
	status *v1.FrameworkStatus
	events []event // the first one first
}

func know(f Facts) *known {
	framework := *f.Framework
	framework.Spec = *framework.Spec.WithItems(framework.Status)
	f.Framework = &framework
	return &known{Facts: f, status: framework.Status, events: inOrder(f.Events)}
}

func (k *known) framework() Subject { return Subject{Kind: ofFramework, Name: k.Framework.Name} }

// condition returns the condition of that type if it is true, and nil otherwise.
func (k *known) condition(kind string) *metav1.Condition {
	if k.status == nil || !meta.IsStatusConditionTrue(k.status.Conditions, kind) {
		return nil
	}
	return meta.FindStatusCondition(k.status.Conditions, kind)
}

func (k *known) pod(name string) *corev1.Pod {
	for i := range k.Pods {
		if k.Pods[i].Name == name {
			return &k.Pods[i]
		}
	}
	return nil
}

func (k *known) roleStatus(name string) *v1.TaskRoleStatus {
	roles := k.status.AttemptStatus.TaskRoleStatuses
	for i := range roles {
		if roles[i].Name == name {
			return &roles[i]
		}
	}
	return nil
}

func (k *known) roleSpec(name string) *v1.TaskRoleSpec {
	roles := k.Framework.Spec.TaskRoles
	for i := range roles {
		if roles[i].Name == name {
			return &roles[i]
		}
	}
	return nil
}

func (k *known) taskStatus(role string, index int32) *v1.TaskStatus {
	if r := k.roleStatus(role); r != nil && 0 <= index && int(index) < len(r.TaskStatuses) {
		return &r.TaskStatuses[index]
	}
	return nil
}

// tasks yields the Tasks of all roles, with the names of these.
func (k *known) tasks(yield func(string, *v1.TaskStatus) bool) {
	for i := range k.status.AttemptStatus.TaskRoleStatuses {
		role := &k.status.AttemptStatus.TaskRoleStatuses[i]
		for j := range role.TaskStatuses {
			if !yield(role.Name, &role.TaskStatuses[j]) {
				return
			}
		}
	}
}

// counts has how many Tasks of all roles are in each state.
func (k *known) counts() map[Standing]int {
	counts := map[Standing]int{}
	for _, task := range k.tasks {
		counts[StandingOf(task)]++
	}
	return counts
}

// event is what is looked at of an Event.
type event struct {
	Kind, Name      string
	Reason, Message string
	From            string
	Warning         bool
	At              time.Time
	Annotations     map[string]string
}

// LastSeen is when an Event was last seen. There are several ways to say so.
func LastSeen(e *corev1.Event) time.Time {
	last := e.LastTimestamp.Time
	for _, at := range []time.Time{e.EventTime.Time, e.FirstTimestamp.Time, e.CreationTimestamp.Time} {
		if last.IsZero() {
			last = at
		}
	}
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	return last
}

func inOrder(events []corev1.Event) []event {
	var all []event
	for i := range events {
		e := &events[i]
		all = append(all, event{
			Kind: e.InvolvedObject.Kind, Name: e.InvolvedObject.Name, Reason: e.Reason, Message: e.Message,
			From:    cmp.Or(e.Source.Component, e.ReportingController, "an unnamed source"),
			Warning: e.Type == corev1.EventTypeWarning, At: LastSeen(e), Annotations: e.Annotations,
		})
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Message, b.Message)) })
	return all
}

// latest returns the last event of that kind; nil if there is none.
func (k *known) latest(is func(*event) bool) *event {
	for i := range slices.Backward(k.events) {
		if is(&k.events[i]) {
			return &k.events[i]
		}
	}
	return nil
}

// ofFramework reports whether an event is about the Framework itself, of that reason.
func (e *event) ofFramework(why reason.Event) bool {
	return e.Kind == v1.FrameworkKind && e.Reason == string(why)
}
