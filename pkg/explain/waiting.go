package explain

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// wait is the reason why a Framework waits. Role, Pod and node are empty if it concerns none, or was stored by an earlier version.
type wait struct {
	reason, words   string
	since           metav1.Time
	role, pod, node string
	index           int32
}

// waitOf returns the wait of a Framework; nil if it does not wait.
func waitOf(f *v1.Framework) *wait {
	if f.Status == nil || !meta.IsStatusConditionTrue(f.Status.Conditions, v1.ConditionWaiting) {
		return nil
	}
	c := meta.FindStatusCondition(f.Status.Conditions, v1.ConditionWaiting)
	w := &wait{reason: c.Reason, words: c.Message, since: c.LastTransitionTime}
	if of := f.Status.Waiting; of != nil && of.Reason == c.Reason {
		w.role, w.pod, w.node = of.Role, of.Pod, of.Node
		if of.Index != nil {
			w.index = *of.Index
		}
	}
	return w
}

// waiting explains why the Framework waits, in the words of the condition and the latest ones of its Pod.
func waiting(k *known) []Statement {
	w := waitOf(k.Framework)
	if w == nil {
		return nil
	}
	return w.statements(k, names{}, explainTask)
}

// taskWaits does so for a Task that does not run: the reason of its Framework may well be its own.
func taskWaits(k *known, role string, task *v1.TaskStatus) []Statement {
	w, blocked := waitOf(k.Framework), unjudged(k, task)
	switch {
	case w == nil || StandingOf(task) == Running && !blocked || task.State == v1.Completed:
		return nil
	case w.role == role && w.index == task.Index && w.pod != "" || StandingOf(task) == Starting || blocked:
		return w.statements(k, taskNames(k, role, task))
	}
	return nil
}

// roleWaits does so for a role, unless the wait is for a Task of another one.
func roleWaits(k *known, role string) []Statement {
	switch w := waitOf(k.Framework); {
	case w == nil:
		return nil
	case w.pod == "":
		return w.statements(k, names{})
	case w.role == role:
		return w.statements(k, names{}, explainTask)
	}
	return nil
}

// statements explain the wait, its end, and the commands that help, followed by more. Commands have the names n if the wait
// concerns no Pod.
func (w *wait) statements(k *known, n names, more ...Step) []Statement {
	about := k.framework()
	if w.pod != "" {
		about, n = taskSubject(w.role, w.index), k.namesOf(w.pod)
	}
	n.node = cmp.Or(w.node, n.node)
	all := []Statement{{Topic: Waiting, Subject: about, Args: Args{Reason: w.reason, Since: &w.since}}}
	if w.words != "" {
		all = append(all, Statement{Topic: WaitingInDetail, Subject: about, Args: Args{Words: w.words}})
	}
	all = append(all, lastWords(k, n.pod)...)
	all = append(all, claimWords(k, n.pod)...)
	word := WaitingWord(w.reason)
	if word.Ends != "" {
		all = append(all, Statement{Topic: WaitingEnds, Subject: about, Args: Args{Reason: w.reason}})
	}
	return advising(all, append(k.steps(n, word.Next...), k.steps(n, more...)...)...)
}

// lastWords has the latest warning about a Pod: it is the scheduler's or the kubelet's.
func lastWords(k *known, pod string) []Statement {
	e := k.latest(func(e *event) bool { return e.Kind == ofPod && e.Name == pod && e.Warning })
	if e == nil {
		return nil
	}
	return []Statement{{Topic: LatestWords, Subject: Subject{Kind: ofPod, Name: pod}, Args: Args{From: e.From, Since: at(e.At), Reason: e.Reason, Words: e.Message}}}
}

// podWaits explains why the Pod of a Task does not run, according to the Pod itself, or why it runs although its work is done.
func podWaits(k *known, role string, task *v1.TaskStatus) []Statement {
	name := task.AttemptStatus.PodName
	pod := k.pod(name)
	switch {
	case pod == nil:
		return nil
	case StandingOf(task) == Running:
		return containersLeft(role, task, pod)
	case StandingOf(task) != Starting:
		return nil
	}
	var all []Statement
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			all = append(all, Statement{Topic: PodUnscheduled, Subject: Subject{Kind: ofPod, Name: name}, Args: Args{Reason: c.Reason, Words: c.Message}})
		}
	}
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range list {
			if w := list[i].State.Waiting; w != nil && w.Reason != "PodInitializing" {
				about := containerSubject(role, task.Index, list[i].Name)
				all = append(all, Statement{Topic: ContainerWaits, Subject: about, Args: Args{Reason: w.Reason, Words: w.Message}})
			}
		}
	}
	return slices.Concat(all, lastWords(k, name), claimWords(k, name))
}

// claimWords has the latest event of each claim that may keep a Pod from getting a node, such as that its StorageClass does not exist. Some
// of these are no warnings.
func claimWords(k *known, name string) (all []Statement) {
	pod := k.pod(name)
	if pod == nil {
		return nil
	}
	for _, claim := range Claims(pod) {
		e := k.latest(func(e *event) bool { return e.Kind == ofClaim && e.Name == claim })
		if e != nil {
			all = append(all, Statement{Topic: ClaimWords, Subject: Subject{Kind: ofClaim, Name: claim}, Args: Args{From: e.From, Since: at(e.At), Reason: e.Reason, Words: e.Message}})
		}
	}
	return all
}

func containerSubject(role string, index int32, name string) Subject {
	return Subject{Kind: ofContainer, Name: name, Role: role, Index: &index}
}

// containersLeft names the containers that keep a Pod running although the container that does the work has ended.
func containersLeft(role string, task *v1.TaskStatus, pod *corev1.Pod) []Statement {
	ended, left, ok := podview.ContainersLeft(pod)
	if !ok {
		return nil
	}
	args := Args{Code: &ended.State.Terminated.ExitCode, Container: left}
	return []Statement{{Topic: ContainersLeft, Subject: containerSubject(role, task.Index, ended.Name), Args: args}}
}
