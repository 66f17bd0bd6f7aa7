package consult

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Events are read once for each Pod, at the same time, and are not waited for longer than a second, however many Pods there are.
func TestEventsAreAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 1000
		var pods []FailedPod
		var questions []*pluginpb.FailedPod
		for i := range many {
			pods = append(pods, FailedPod{Events: &LastEvents{Read: func(ctx context.Context) ([]*pluginpb.PodEvent, string) {
				if i%2 == 0 {
					<-ctx.Done()
					return nil, "Late"
				}
				return []*pluginpb.PodEvent{{Reason: fmt.Sprint(i)}}, ""
			}}})
			questions = append(questions, &pluginpb.FailedPod{})
		}
		pods, questions = append(pods, FailedPod{}), append(questions, &pluginpb.FailedPod{})
		for _, want := range []time.Duration{eventsPatience, 0} {
			begin := time.Now()
			addEvents(t.Context(), pods, questions)
			if took := time.Since(begin); took != want {
				t.Errorf("it took %v, not %v", took, want)
			}
		}
		for i, q := range questions[:many] {
			if late := i%2 == 0; late != (q.GetEventsLeftOut() == "Late") || !late && q.GetEvents()[0].GetReason() != fmt.Sprint(i) {
				t.Errorf("Pod %d has %v", i, q)
			}
		}
		if q := questions[many]; len(q.GetEvents()) > 0 || q.GetEventsLeftOut() != "" {
			t.Errorf("a Pod without a reader has %v", q)
		}
	})
}
