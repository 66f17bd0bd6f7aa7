package kubectl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
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
	// keeps leaves the original judgment in place where the plugin has no opinion, as there are no rules to apply.
	keeps bool

	mu sync.Mutex
	// skipped counts the questions to which the plugin gave no usable answer, by the fault.
	skipped map[string]int
}

// askedAtOnce is the number of Frameworks about which a plugin is asked at a time. The host has its own limits.
const askedAtOnce = 16

// all judges failures, which are in the order of attempts, so questions about a Task include the new verdicts on its earlier
// attempts. Failures that were not reached before ctx ended have no judgment.
func (j *judge) all(ctx context.Context, failures []*failure) map[*failure]consult.Judgment {
	out := make(map[*failure]consult.Judgment, len(failures))
	var mu sync.Mutex // guards out
	var asking sync.WaitGroup
	slots := make(chan struct{}, askedAtOnce)
	for _, of := range byFramework(failures) {
		slots <- struct{}{}
		asking.Go(func() {
			defer func() { <-slots }()
			for f, judgment := range j.framework(ctx, of) {
				mu.Lock()
				out[f] = judgment
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
func (j *judge) framework(ctx context.Context, failures []*failure) map[*failure]consult.Judgment {
	out := map[*failure]consult.Judgment{}
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
func (j *judge) round(ctx context.Context, failures []*failure, earlier map[string][]v1.EarlierTaskAttempt, out map[*failure]consult.Judgment) {
	pods := make([]consult.FailedPod, len(failures))
	for i, f := range failures {
		pods[i] = f.question()
		pods[i].Question.Earlier = podverdict.EarlierOf(&v1.TaskStatus{EarlierAttempts: f.earlier(earlier[f.taskKey()])})
		if pods[i].Question.Uid == "" {
			pods[i].Question.Uid = fmt.Sprint(i) // to distinguish them
		}
	}
	judged := j.panel.Classify(ctx, failures[0].uses, pods, j.skip)
	if ctx.Err() != nil {
		return // a late answer does not count
	}
	for i, f := range failures {
		judgment := judged[pods[i].Question.GetUid()]
		if j.keeps && judgment.Err == nil && judgment.Status.Source == nil {
			judgment.Status = f.was()
		}
		out[f] = judgment
		if judgment.Err == nil {
			earlier[f.taskKey()] = append(earlier[f.taskKey()], f.judgedAs(judgment.Status))
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

// earlier returns the earlier attempts in the status, with judged attempts in place of the same ones there.
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

// question returns the question to the plugin about a failure. Without the Pod it has fewer facts: a status has neither the labels and
// conditions of the Pod nor the times at which its containers ended.
func (f *failure) question() consult.FailedPod {
	of := &pluginpb.Framework{
		Namespace: f.owner.Namespace, Name: f.owner.Name, Uid: string(f.owner.UID), AttemptId: f.attempt,
		Labels: f.owner.Labels, Annotations: f.owner.Annotations,
	}
	a := &f.task.AttemptStatus
	var pod consult.FailedPod
	if f.asked != nil {
		q := proto.CloneOf(f.asked)
		q.Framework = of
		return consult.FailedPod{Question: q, Outcome: podverdict.Pod(q)}
	}
	if f.pod != nil && podview.Ended(f.pod.Status.Phase) {
		pod = consult.NewFailedPod(of, lifecycle.TaskRef{Role: f.role, Index: f.task.Index}, f.pod, podview.OutcomeOf(f.pod))
	} else {
		pod.Outcome = podverdict.PodOfStatus(a.PodName, a.CompletionStatus.Pod)
		q := podverdict.Question(pod.Outcome)
		q.Uid, q.Framework, q.TaskRole, q.TaskIndex, q.Node = string(f.uid()), of, f.role, f.task.Index, valueOf(a.PodNodeName)
		pod.Question = q
	}
	pod.Question.TaskAttemptId = a.ID
	return pod
}
