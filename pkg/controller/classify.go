package controller

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// classifyAll has failed Pods judged. One that is not known any more is left out: the next round sees what became of it.
func (k *asker) classifyAll(r *record, asked []lifecycle.ClassifyPod) {
	var questions []lifecycle.Action
	var pods []consult.FailedPod
	for _, a := range asked {
		if pod := k.knownPod(r, a.Task, a.UID); pod != nil {
			questions, pods = append(questions, a), append(pods, question(r, a.Task, pod))
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
	r.questions.verdicts[a.Task] = &lifecycle.Verdict{PodUID: a.UID, Status: j.Status, Advice: j.Advice, AvoidNode: j.AvoidNode}
	r.schedule.lookAt(a.Task)
}

// knownPod returns what is known of a Pod, as much as there is; nil if it is not known.
func (k *asker) knownPod(r *record, ref lifecycle.TaskRef, uid types.UID) *corev1.Pod {
	name := r.podName(ref)
	// What an answer has shown comes first: it is dropped when the cache has something newer.
	if f := r.dependents.pods[name]; f != nil {
		if p, ok := f.live.(*corev1.Pod); ok && p.UID == uid {
			return p
		}
	}
	if p := k.watches.cachedPod(r.key.Namespace, name); p != nil && p.UID == uid {
		if whole := p.Unpack(); whole != nil {
			return whole
		}
		return &p.Pod
	}
	return nil
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

// question is what a plugin is told about a Pod.
func question(r *record, ref lifecycle.TaskRef, p *corev1.Pod) consult.FailedPod {
	failed := consult.NewFailedPod(r.inQuestion(), ref, p, podview.OutcomeOf(p))
	if t := r.status.saved.Task(ref); t != nil {
		failed.Question.TaskAttemptId = t.AttemptStatus.ID
		failed.Question.Earlier = consult.EarlierVerdicts(t)
	}
	return failed
}
