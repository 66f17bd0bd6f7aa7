package controller

import "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"

// askAll begins to have the questions answered. Failed Pods are judged together, so are those that do not get to run, and
// everything else by itself.
func (k *asker) askAll(r *record, asked []lifecycle.Action) {
	var pods []lifecycle.ClassifyPod
	var starts []lifecycle.JudgeStart
	for _, a := range asked {
		switch a := a.(type) {
		case lifecycle.ClassifyPod:
			pods = append(pods, a)
		case lifecycle.JudgeStart:
			starts = append(starts, a)
		case lifecycle.DecideCompletion:
			k.ask(r, k.decide(r, a), a)
		case lifecycle.AskHints:
			k.ask(r, k.askHints(r, a), a)
		case lifecycle.PrepareHints:
			k.ask(r, k.prepareHints(r, a), a)
		}
	}
	if len(pods) > 0 {
		k.classifyAll(r, pods)
	}
	if len(starts) > 0 {
		k.judgeStarts(r, starts)
	}
}

func (r *record) handleAnswer(n answer) {
	if n.framework != r.uid {
		return
	}
	for _, a := range n.questions {
		delete(r.questions.open, a)
		delete(r.questions.waiting, topic(a))
		r.dropRestored(a)
	}
	n.apply(r)
}
