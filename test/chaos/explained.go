package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

// explainsShadows requires that the metrics of the running controllers explain each verdict in shadow that is missing since the last controller
// has ended. Earlier ones may have ended with it. Some attempts must be judged after the faults, unless a controller has lost its lease.
func (s *stage) explainsShadows(ctx context.Context, settled checker.History, faultsEnded time.Time) (problems []string) {
	quiet := !s.losses.since(faultsEnded.Add(calmBefore))
	for _, h := range s.histories {
		var balances []checker.ShadowBalance
		wrong := s.awaitMemory(ctx, h, func(m checker.Remembered) (wrong []string) {
			a, err := s.account()
			if err != nil {
				return []string{err.Error()}
			}
			balances = m.MissingShadows(settled, a)
			for _, b := range balances {
				wrong = append(wrong, differences(b.Wrong() == "", "%s", b.Wrong())...)
			}
			return wrong
		})
		for _, b := range balances {
			fmt.Printf("shadow     %s: of %d attempts that were judged since a controller ended, %d have no verdict of %s, and %d are explained; of %d earlier ones, %d have none\n",
				h.name, b.Judged, b.Missing, b.By, b.Explained, b.Earlier, b.Lost)
			wrong = append(wrong, differences(b.Judged > 0 || !quiet, "%s: %s was asked about no attempt after the faults", h.name, b.By)...)
		}
		problems = append(problems, wrong...)
	}
	return problems
}

// shadowsInEvents requires that no event says what was said in shadow.
func (s *stage) shadowsInEvents(ctx context.Context) (problems []string) {
	events, err := s.users.core.CoreV1().Events("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return []string{err.Error()}
	}
	for i := range events.Items {
		e := &events.Items[i]
		e.ManagedFields = nil
		said := checker.ShadowWord(e, shadowWords)
		problems = append(problems, differences(said == "", "the event %s of %s has %q, which was said in shadow: %s", e.Reason, e.InvolvedObject.Name, said, e.Message)...)
	}
	fmt.Printf("shadow     %d of %d events have a word of it\n", len(problems), len(events.Items))
	return problems
}
