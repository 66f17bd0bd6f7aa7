package controller

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	historyrecords "github.com/frameworkcontroller/frameworkcontroller/pkg/history/records"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// shadow asks classifiers and rules that decide nothing, after the judgment that counts. No Framework waits for them.
type shadow struct {
	panel    *consult.Panel // nil if there are no plugins
	archiver *archiver
	observer Observer
	log      hclog.Logger
	now      func() time.Time
	ctx      context.Context // ends when the controller stops
	underWay *sync.WaitGroup
	turns    chan struct{}
}

// shadowsAtATime limits the questions at the same time, of one Framework each. More are not asked: many Pods may fail at once.
const shadowsAtATime = 32

// shadowQuestion is what classifiers and rules in shadow are asked about one Framework. It does not refer to the record.
type shadowQuestion struct {
	by        []consult.InShadow // empty if nothing is in shadow
	framework cache.ObjectName
	uses      []v1.PluginUse
	pods      []consult.FailedPod
	// For the history; empty if there is none.
	of    historyrecords.Subject
	tasks map[string]string // UIDs of Tasks by Pod
}

func (s *shadow) question(r *record, pods []consult.FailedPod) shadowQuestion {
	q := shadowQuestion{by: s.panel.InShadow(r.uses()), framework: r.key, uses: r.uses(), pods: pods, tasks: map[string]string{}}
	if len(q.by) == 0 || !s.panel.Archives() {
		return q
	}
	meta := r.stored.meta
	q.of = s.archiver.of(r)
	q.of.Meta = &meta
	for _, pod := range pods {
		if t := r.status.saved.Task(lifecycle.TaskRef{Role: pod.Question.GetTaskRole(), Index: pod.Question.GetTaskIndex()}); t != nil {
			q.tasks[pod.Question.GetUid()] = t.InstanceUID
		}
	}
	return q
}

// ask begins to ask about Pods that have been judged.
func (s *shadow) ask(q shadowQuestion, judged map[string]consult.Judgment) {
	if len(q.by) == 0 {
		return
	}
	select {
	case s.turns <- struct{}{}:
	default:
		for _, by := range q.by {
			for range q.pods {
				s.observer.ShadowVerdict(by, consult.ShadowUnanswered)
			}
		}
		return
	}
	judged = maps.Clone(judged)
	s.underWay.Go(func() {
		defer func() {
			<-s.turns
			if cause := recover(); cause != nil {
				_ = panicked(s.log, q.framework, cause)
			}
		}()
		s.panel.Shadow(s.ctx, q.uses, q.pods, judged, func(said []consult.Shadowed) { s.hear(q, said, judged) })
	})
}

// hear counts verdicts, logs the ones that would have been different, and sends all of them to the history.
func (s *shadow) hear(q shadowQuestion, said []consult.Shadowed, judged map[string]consult.Judgment) {
	var all []*pluginpb.Record
	for _, v := range said {
		counts := judged[v.Pod.Question.GetUid()]
		s.observer.ShadowVerdict(v.By, v.Outcome)
		if v.Outcome.Differs() {
			s.logDifference(q.framework, v, counts)
		}
		if task, known := q.tasks[v.Pod.Question.GetUid()]; known && v.Outcome != consult.ShadowUnanswered {
			all = append(all, s.record(q.of, task, v, counts))
		}
	}
	s.archiver.sendWithin(shadowBytes, q.framework, all)
}

func (s *shadow) record(of historyrecords.Subject, task string, v consult.Shadowed, counts consult.Judgment) *pluginpb.Record {
	r := historyrecords.Shadowed{Plugin: v.By.Plugin, Rule: v.By.Rule, Question: v.Pod.Question, TaskUID: task, At: s.now(), Outcome: string(v.Outcome), Decision: counts.Status}
	if v.Outcome.Differs() {
		r.Verdict, r.Answer = &v.Status, v.Answer
	}
	return historyrecords.ShadowVerdict(of, r)
}

// logDifference logs a verdict that would have been another.
func (s *shadow) logDifference(framework cache.ObjectName, said consult.Shadowed, counts consult.Judgment) {
	q := said.Pod.Question
	s.log.Debug("a verdict in shadow is different", "framework", framework.String(), "task", v1.TaskName(q.GetTaskRole(), q.GetTaskIndex()),
		"by", said.By.String(), "outcome", string(said.Outcome), "code", said.Status.Code, "phrase", said.Status.Phrase,
		"instead_of_code", counts.Status.Code, "instead_of_phrase", counts.Status.Phrase)
}
