package controller

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// classifyAll has failed Pods judged. One that is not known any more is left out: the next round sees what became of it.
func (k *asker) classifyAll(r *record, asked []lifecycle.ClassifyPod) {
	var questions []lifecycle.Action
	var pods []consult.FailedPod
	for _, a := range asked {
		if pod := k.failedPod(r, a); pod != nil {
			questions, pods = append(questions, a), append(pods, k.question(r, a.Task, pod))
		}
	}
	panel, uses := k.panel, r.uses()
	k.ask(r, func(ctx context.Context) func(*record) {
		skipped := skippedPlugins{}
		judged := panel.Classify(ctx, uses, pods, skipped.add)
		return func(r *record) {
			k.reporter.warnOfSkipped(r, skipped, "what the failure of Pods means")
			for _, a := range questions {
				a := a.(lifecycle.ClassifyPod)
				k.applyVerdict(r, a, judged[string(a.UID)])
			}
		}
	}, questions...)
}

func (k *asker) applyVerdict(r *record, a lifecycle.ClassifyPod, j consult.Judgement) {
	if j.Err != nil {
		k.postpone(r, a, j.Err)
		return
	}
	r.questions.verdicts[a.Task] = &lifecycle.Verdict{PodUID: a.UID, Status: j.Status}
	if t := r.status.saved.Task(a.Task); t != nil {
		r.questions.noteVerdict(a.Task, t, j.Status, k.now())
	}
	r.schedule.lookAt(a.Task)
}

// failedPod returns what is known of a Pod, as much as there is; nil if it is not known.
func (k *asker) failedPod(r *record, a lifecycle.ClassifyPod) *corev1.Pod {
	name := r.podName(a.Task)
	// What an answer has shown comes first: it is dropped when the cache has something newer.
	if f := r.dependents.pods[name]; f != nil {
		if p, ok := f.live.(*corev1.Pod); ok && p.UID == a.UID {
			return p
		}
	}
	if p := k.watches.cachedPod(r.key.Namespace, name); p != nil && p.UID == a.UID {
		if whole := p.unpack(); whole != nil {
			return whole
		}
		return &p.Pod
	}
	return nil
}

// question is what a plugin is told about a failed Pod.
func (k *asker) question(r *record, ref lifecycle.TaskRef, p *corev1.Pod) consult.FailedPod {
	outcome := outcomeOf(p)
	q := podverdict.Question(outcome)
	q.Uid, q.Framework, q.TaskRole, q.TaskIndex = string(p.UID), r.inQuestion(), ref.Role, ref.Index
	q.Labels, q.Annotations, q.Node = texts(p.Labels), texts(p.Annotations), podverdict.Text(p.Spec.NodeName)
	q.Conditions = conditionsInQuestion(p.Status.Conditions)
	addDetails(q.Containers, append(append([]corev1.ContainerStatus(nil), p.Status.InitContainerStatuses...), p.Status.ContainerStatuses...))
	if t := r.status.saved.Task(ref); t != nil {
		q.TaskAttemptId = t.AttemptStatus.ID
		q.Earlier = r.questions.earlier[ref].before(t)
	}
	return consult.FailedPod{Question: q, Outcome: outcome}
}

// texts makes the keys and values of a map fit for a message. They may be anything: the API server does not look, if they
// come as protobuf.
func texts(all map[string]string) map[string]string {
	out := make(map[string]string, len(all))
	for key, value := range all {
		out[podverdict.Text(key)] = podverdict.Text(value)
	}
	return out
}

// inQuestion is the Framework as questions name it.
func (r *record) inQuestion() *pluginpb.Framework {
	return &pluginpb.Framework{
		Namespace:   r.key.Namespace,
		Name:        r.key.Name,
		Uid:         string(r.uid),
		AttemptId:   r.status.saved.Framework().AttemptStatus.ID,
		Labels:      r.stored.meta.Labels,
		Annotations: r.stored.meta.Annotations,
	}
}

func conditionsInQuestion(conditions []corev1.PodCondition) []*pluginpb.PodCondition {
	var out []*pluginpb.PodCondition
	for _, c := range conditions {
		out = append(out, &pluginpb.PodCondition{
			Type: podverdict.Text(string(c.Type)), Status: podverdict.Text(string(c.Status)),
			Reason: podverdict.Text(c.Reason), Message: podverdict.Text(c.Message),
			LastTransitionTime: timestampOf(c.LastTransitionTime),
		})
	}
	return out
}

// addDetails adds what the built-in rules do not look at. The statuses are those that the containers were made from.
func addDetails(containers []*pluginpb.Container, statuses []corev1.ContainerStatus) {
	for i, s := range statuses {
		c := containers[i]
		c.Image, c.RestartCount = podverdict.Text(s.Image), s.RestartCount
		if w := s.State.Waiting; w != nil {
			c.WaitingReason, c.WaitingMessage = podverdict.Text(w.Reason), podverdict.Text(w.Message)
		}
		if t := s.State.Terminated; t != nil {
			c.Terminated.StartedAt = timestampOf(t.StartedAt)
		}
	}
}

func timestampOf(t metav1.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t.Time)
}

// mostEarlier is how many of them a question has.
const mostEarlier = 16

func (e earlierVerdicts) before(t *v1.TaskStatus) []*pluginpb.EarlierVerdict {
	if e.task != t.InstanceUID {
		return nil
	}
	n := len(e.list)
	for n > 0 && e.list[n-1].GetTaskAttemptId() >= t.AttemptStatus.ID {
		n--
	}
	return e.list[:n]
}

// noteVerdict remembers a verdict for questions about later attempts.
func (q *questions) noteVerdict(ref lifecycle.TaskRef, t *v1.TaskStatus, s v1.CompletionStatus, now time.Time) {
	v := podverdict.Earlier(s)
	v.TaskAttemptId, v.CompletionTime = t.AttemptStatus.ID, timestamppb.New(now)
	if node := t.AttemptStatus.PodNodeName; node != nil {
		v.Node = *node
	}
	// A list of its own: questions under way have the one before.
	list := append([]*pluginpb.EarlierVerdict(nil), q.earlier[ref].before(t)...)
	list = append(list, v)
	q.earlier[ref] = earlierVerdicts{t.InstanceUID, list[max(0, len(list)-mostEarlier):]}
}
