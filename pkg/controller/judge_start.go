package controller

import (
	"context"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// judgeStarts has Pods judged that do not get to run. One of which it is not known any more what keeps it is left out: the next
// round sees what became of it.
func (k *asker) judgeStarts(r *record, asked []lifecycle.JudgeStart) {
	var questions []lifecycle.Action
	var pods []consult.FailedPod
	about := map[lifecycle.JudgeStart]lifecycle.PendingPod{}
	for _, a := range asked {
		pod := k.knownPod(r, a.Task, a.UID)
		pending, ok := lifecycle.Pending(r.framework.Spec, a.Task.Role, r.status.saved.Task(a.Task))
		if pod == nil || !ok || pending.Kind != a.Kind {
			continue
		}
		questions = append(questions, a)
		pending.Now = k.now()
		pending.Reason, pending.Message, pending.Container = podview.WordsOf(pod)
		pods = append(pods, question(r, a.Task, pod).WithPending(pending))
		about[a] = pending
	}
	if len(questions) == 0 {
		return
	}
	panel, uses := k.panel, r.uses()
	k.ask(r, func(ctx context.Context) func(*record) {
		skipped := skippedPlugins{}
		judged := panel.Classify(ctx, uses, pods, skipped.add)
		return func(r *record) {
			k.reporter.warnOfSkipped(r, skipped, "whether Pods that do not run may take longer")
			for _, a := range questions {
				a := a.(lifecycle.JudgeStart)
				k.applyStartVerdict(r, a, about[a], judged[string(a.UID)])
			}
		}
	}, questions...)
}

func (k *asker) applyStartVerdict(r *record, a lifecycle.JudgeStart, about lifecycle.PendingPod, j consult.Judgement) {
	if j.Err != nil {
		k.postpone(r, a, j.Err)
		return
	}
	v := &lifecycle.StartVerdict{PodUID: a.UID, Kind: about.Kind, Since: about.Since}
	switch {
	case j.Wait > 0:
		v.Until = k.now().Add(j.Wait)
	case !j.NoOpinion:
		v.Status, v.Advice, v.AvoidNode = &j.Status, j.Advice, j.AvoidNode
	}
	r.questions.startVerdicts[a.Task] = v
	r.schedule.lookAt(a.Task)
}
