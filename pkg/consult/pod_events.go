package consult

import (
	"context"
	"sync"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// LastEvents are the last events about a Pod, which are read when a plugin wants them, and once.
type LastEvents struct {
	// Read returns the events, and why some are left out, as FailedPod has them. Its ctx limits the time.
	Read func(ctx context.Context) (events []*pluginpb.PodEvent, leftOut string)

	once    sync.Once
	events  []*pluginpb.PodEvent
	leftOut string
}

// eventsPatience limits how long the Pods of a question wait for their events, however many they are.
const eventsPatience = time.Second

// addEvents reads the last events of Pods at the same time, and adds them to the question with the same index.
func addEvents(ctx context.Context, pods []FailedPod, questions []*pluginpb.FailedPod) {
	ctx, cancel := context.WithTimeout(ctx, eventsPatience)
	defer cancel()
	var reading sync.WaitGroup
	for i, pod := range pods {
		e := pod.Events
		if e == nil {
			continue
		}
		reading.Go(func() {
			e.once.Do(func() { e.events, e.leftOut = e.Read(ctx) })
			questions[i].Events, questions[i].EventsLeftOut = e.events, e.leftOut
		})
	}
	reading.Wait()
}
