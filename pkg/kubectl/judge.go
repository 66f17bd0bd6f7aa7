package kubectl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// judge judges failures as a controller would: it asks the plugin, if there is one, and otherwise the rules.
type judge struct {
	panel *consult.Panel
	// keeps leaves the original judgement in place where the plugin has no opinion, as there are no rules to apply.
	keeps bool

	mu sync.Mutex
	// skipped counts the questions to which the plugin gave no usable answer, by the fault.
	skipped map[string]int
}

// askedAtOnce is the number of Frameworks about which a plugin is asked at a time. The host has its own limits.
const askedAtOnce = 16

// all judges failures, which are in the order of attempts, so questions about a Task include the new verdicts on its earlier
// attempts. Failures that were not reached before ctx ended have no judgement.
func (j *judge) all(ctx context.Context, failures []*failure) map[*failure]consult.Judgement {
	out := make(map[*failure]consult.Judgement, len(failures))
	var mu sync.Mutex // of out
	var asking sync.WaitGroup
	slots := make(chan struct{}, askedAtOnce)
	for _, of := range byFramework(failures) {
		slots <- struct{}{}
		asking.Go(func() {
			defer func() { <-slots }()
			for f, judgement := range j.framework(ctx, of) {
				mu.Lock()
				out[f] = judgement
				mu.Unlock()
			}
		})
	}
	asking.Wait()
	return out
}

// byFramework groups failures by Framework.
func byFramework(failures []*failure) (groups [][]*failure) {
	number := map[string]int{}
	for _, f := range failures {
		key := f.frameworkKey()
		n, known := number[key]
		if !known {
			n = len(groups)
			number[key] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], f)
	}
	return groups
}

// framework judges the failures of one Framework: the first ones of all Tasks, then the second ones, and so on.
func (j *judge) framework(ctx context.Context, failures []*failure) map[*failure]consult.Judgement {
	out := map[*failure]consult.Judgement{}
	earlier := map[string][]v1.EarlierTaskAttempt{}
	for len(failures) > 0 && ctx.Err() == nil {
		var round, rest []*failure
		taken := map[string]bool{}
		for _, f := range failures {
			if key := f.taskKey(); taken[key] {
				rest = append(rest, f)
			} else {
				taken[key] = true
				round = append(round, f)
			}
		}
		j.round(ctx, round, earlier, out)
		failures = rest
	}
	return out
}

// round judges failures of different Tasks of one Framework, and records the verdicts for later questions.
func (j *judge) round(ctx context.Context, failures []*failure, earlier map[string][]v1.EarlierTaskAttempt, out map[*failure]consult.Judgement) {
	pods := make([]consult.FailedPod, len(failures))
	for i, f := range failures {
		pods[i] = f.question()
		pods[i].Question.Earlier = consult.EarlierVerdicts(&v1.TaskStatus{EarlierAttempts: f.earlier(earlier[f.taskKey()])})
		if pods[i].Question.Uid == "" {
			pods[i].Question.Uid = fmt.Sprint(i) // to tell them apart
		}
	}
	judged := j.panel.Classify(ctx, failures[0].uses, pods, j.skip)
	if ctx.Err() != nil {
		return // a late answer does not count
	}
	for i, f := range failures {
		judgement := judged[pods[i].Question.GetUid()]
		if j.keeps && judgement.Err == nil && judgement.Status.Source == nil {
			judgement.Status = f.was()
		}
		out[f] = judgement
		if judgement.Err == nil {
			earlier[f.taskKey()] = append(earlier[f.taskKey()], f.judgedAs(judgement.Status))
		}
	}
}

// otherwise reports how a failure is judged without an answer of the plugin.
func (j *judge) otherwise() string {
	if j.keeps {
		return "the original code stays"
	}
	return "the rules decided"
}

func (j *judge) skip(_ string, why error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if fault := new(pluginhost.Fault); errors.As(why, &fault) {
		why = fault.OfAnyPod() // so that it is reported once for all Pods
	}
	j.skipped[why.Error()]++
}

// earlier returns the attempts before that the status has, with those that were judged here as they were judged here.
func (f *failure) earlier(judged []v1.EarlierTaskAttempt) []v1.EarlierTaskAttempt {
	out := slices.DeleteFunc(slices.Clone(f.task.EarlierAttempts), func(a v1.EarlierTaskAttempt) bool {
		return slices.ContainsFunc(judged, func(b v1.EarlierTaskAttempt) bool { return a.ID == b.ID })
	})
	out = append(out, judged...)
	slices.SortFunc(out, func(a, b v1.EarlierTaskAttempt) int { return cmp.Compare(a.ID, b.ID) })
	return out[max(0, len(out)-v1.MaxEarlierAttempts):]
}

// judgedAs returns the failure as an earlier attempt in the Task's next question.
func (f *failure) judgedAs(s v1.CompletionStatus) v1.EarlierTaskAttempt {
	a := &f.task.AttemptStatus
	return v1.EarlierTaskAttempt{
		ID: a.ID, Code: s.Code, Phrase: s.Phrase, Type: s.Type, Node: valueOf(a.PodNodeName),
		StartTime: a.StartTime, RunTime: a.RunTime, CompletionTime: metav1.NewTime(f.endedAt()),
	}
}

func (f *failure) endedAt() time.Time {
	if at := f.task.AttemptStatus.CompletionTime; at != nil {
		return at.Time
	}
	return f.task.TransitionTime.Time
}

// question returns the question to the plugin about a failure. Without the Pod it has fewer facts: a status has no labels or
// conditions of the Pod, nor the times at which its containers ended.
func (f *failure) question() consult.FailedPod {
	of := &pluginpb.Framework{
		Namespace: f.owner.Namespace, Name: f.owner.Name, Uid: string(f.owner.UID), AttemptId: f.attempt,
		Labels: f.owner.Labels, Annotations: f.owner.Annotations,
	}
	a := &f.task.AttemptStatus
	var pod consult.FailedPod
	if f.pod != nil && podview.Ended(f.pod.Status.Phase) {
		pod = consult.NewFailedPod(of, lifecycle.TaskRef{Role: f.role, Index: f.task.Index}, f.pod, podview.OutcomeOf(f.pod))
	} else {
		pod.Outcome = podOfStatus(a.PodName, a.CompletionStatus.Pod)
		q := podverdict.Question(pod.Outcome)
		q.Uid, q.Framework, q.TaskRole, q.TaskIndex, q.Node = string(f.uid()), of, f.role, f.task.Index, valueOf(a.PodNodeName)
		pod.Question = q
	}
	pod.Question.TaskAttemptId = a.ID
	return pod
}

// podOfStatus builds a failed Pod from the facts in a status, which has only the name of a container that has not ended.
func podOfStatus(name string, s *v1.PodCompletionStatus) completion.Pod {
	pod := completion.Pod{Name: name, Reason: s.Reason, Message: s.Message}
	for _, c := range s.Containers {
		pod.Containers = append(pod.Containers, completion.Container{
			Name: c.Name, Terminated: c.Code != 0 || c.Signal != 0 || c.Reason != "",
			Code: c.Code, Signal: c.Signal, Reason: c.Reason, Message: c.Message})
	}
	return pod
}
