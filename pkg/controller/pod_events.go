package controller

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// podEvents reads the last events of Pods for classifiers that want them. To find the events of one Pod, the API server looks at all
// events of the namespace. So only a few Pods are served at a time, and the others do without.
type podEvents struct {
	list  func(ctx context.Context, namespace string, o metav1.ListOptions) (*corev1.EventList, error)
	turns chan struct{}
	now   func() time.Time
	// forbiddenUntil is when to try again, in nanoseconds, after the API server has forbidden it.
	forbiddenUntil atomic.Int64
}

const (
	// eventsAtATime limits the Pods whose events are read at the same time.
	eventsAtATime = 16
	// mostEvents limits the events of a Pod, and longestEvent their messages, in bytes.
	mostEvents   = 10
	longestEvent = 1 << 10
	// eventsForbiddenFor is how long no events are read after the API server has forbidden it.
	eventsForbiddenFor = time.Minute
)

// Why events are left out, as plugins read it.
const (
	eventsBusy      = "Busy"
	eventsLate      = "Late"
	eventsForbidden = "Forbidden"
	eventsFailed    = "Failed"
)

func newPodEvents(clients *apiserver.Clients, now func() time.Time) *podEvents {
	return &podEvents{
		list: func(ctx context.Context, namespace string, o metav1.ListOptions) (*corev1.EventList, error) {
			return clients.Core.CoreV1().Events(namespace).List(ctx, o)
		},
		turns: make(chan struct{}, eventsAtATime),
		now:   now,
	}
}

// of returns the events of a Pod, which are not read yet.
func (e *podEvents) of(p *corev1.Pod) *consult.LastEvents {
	namespace, uid := p.Namespace, string(p.UID)
	return &consult.LastEvents{Read: func(ctx context.Context) ([]*pluginpb.PodEvent, string) { return e.read(ctx, namespace, uid) }}
}

func (e *podEvents) read(ctx context.Context, namespace, uid string) (events []*pluginpb.PodEvent, leftOut string) {
	if e.now().UnixNano() < e.forbiddenUntil.Load() {
		return nil, eventsForbidden
	}
	select {
	case e.turns <- struct{}{}:
		defer func() { <-e.turns }()
	case <-ctx.Done():
		return nil, eventsBusy
	}
	if ctx.Err() != nil {
		return nil, eventsBusy // the turn and the end came at the same time
	}
	found, err := e.list(ctx, namespace, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", uid).String()})
	switch {
	case ctx.Err() != nil:
		return nil, eventsLate
	case apierrors.IsForbidden(err):
		e.forbiddenUntil.Store(e.now().Add(eventsForbiddenFor).UnixNano())
		return nil, eventsForbidden
	case err != nil:
		return nil, eventsFailed
	}
	return lastOf(found.Items), ""
}

// lastOf returns the last events in the form for plugins, oldest first.
func lastOf(all []corev1.Event) []*pluginpb.PodEvent {
	slices.SortStableFunc(all, func(a, b corev1.Event) int { return lastSeen(&a).Compare(lastSeen(&b)) })
	if len(all) > mostEvents {
		all = all[len(all)-mostEvents:]
	}
	var out []*pluginpb.PodEvent
	for i := range all {
		each := &all[i]
		next := &pluginpb.PodEvent{
			Type:    podverdict.Text(each.Type),
			Reason:  podverdict.Text(each.Reason),
			Message: completion.Cut(podverdict.Text(each.Message), longestEvent),
			Count:   max(each.Count, 1),
			Source:  podverdict.Text(cmp.Or(each.Source.Component, each.ReportingController)),
		}
		if each.Series != nil {
			next.Count = max(next.Count, each.Series.Count)
		}
		if at := lastSeen(each); !at.IsZero() {
			next.Last = timestamppb.New(at)
		}
		out = append(out, next)
	}
	return out
}

// lastSeen is when an event occurred last. The two forms of events have different fields for it.
func lastSeen(e *corev1.Event) time.Time {
	if e.Series != nil && !e.Series.LastObservedTime.IsZero() {
		return e.Series.LastObservedTime.Time
	}
	for _, at := range []time.Time{e.LastTimestamp.Time, e.EventTime.Time, e.FirstTimestamp.Time} {
		if !at.IsZero() {
			return at
		}
	}
	return e.CreationTimestamp.Time
}
