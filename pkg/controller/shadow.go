package controller

import (
	"context"
	"maps"
	"sync"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
)

// shadow asks classifiers and rules that decide nothing, after the judgment that counts. No Framework waits for them.
type shadow struct {
	panel    *consult.Panel // nil if there are no plugins
	observer Observer
	log      hclog.Logger
	ctx      context.Context // ends when the controller stops
	underWay *sync.WaitGroup
	turns    chan struct{}
}

// shadowsAtATime limits the questions at the same time, of one Framework each. More are not asked: many Pods may fail at once.
const shadowsAtATime = 32

// ask begins to ask about Pods that have been judged.
func (s *shadow) ask(framework cache.ObjectName, uses []v1.PluginUse, pods []consult.FailedPod, judged map[string]consult.Judgment) {
	all := s.panel.InShadow(uses)
	if len(all) == 0 {
		return
	}
	select {
	case s.turns <- struct{}{}:
	default:
		for _, by := range all {
			for range pods {
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
				_ = panicked(s.log, framework, cause)
			}
		}()
		s.panel.Shadow(s.ctx, uses, pods, judged, func(said consult.Shadowed) {
			s.observer.ShadowVerdict(said.By, said.Outcome)
			s.logDifference(framework, said, judged[said.Pod.Question.GetUid()])
		})
	})
}

// logDifference logs a verdict that would have been another.
func (s *shadow) logDifference(framework cache.ObjectName, said consult.Shadowed, counts consult.Judgment) {
	switch said.Outcome {
	case consult.ShadowOtherType, consult.ShadowOtherCode, consult.ShadowOtherAdvice:
		q := said.Pod.Question
		s.log.Debug("a verdict in shadow is different", "framework", framework.String(), "task", v1.TaskName(q.GetTaskRole(), q.GetTaskIndex()),
			"by", said.By.String(), "outcome", string(said.Outcome), "code", said.Status.Code, "phrase", said.Status.Phrase,
			"instead_of_code", counts.Status.Code, "instead_of_phrase", counts.Status.Phrase)
	}
}
