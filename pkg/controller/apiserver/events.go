package apiserver

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	eventlog "k8s.io/client-go/tools/record"
)

// Events records Events. A queue sends them one after the other, so one that is delayed by a webhook delays those behind it.
// Therefore there are several queues, and all Events of a namespace, the usual scope of such a webhook, use the same one.
type Events [16]eventlog.EventRecorder

// NewEvents sends Events to the API server until ctx ends. Steady reports whether the API server has been asked other things
// since that time, and has answered.
func NewEvents(ctx context.Context, clients *Clients, steady func(since time.Time) bool) *Events {
	sink := &typedcorev1.EventSinkImpl{Interface: clients.Core.CoreV1().Events("")}
	return newEvents(ctx, impatientSink{EventSink: sink, steady: steady})
}

// newEvents sends Events to a sink until ctx ends.
func newEvents(ctx context.Context, sink eventlog.EventSink) *Events {
	e := &Events{}
	for i := range e {
		e[i] = newEventQueue(ctx, sink)
	}
	return e
}

func newEventQueue(ctx context.Context, sink eventlog.EventSink) eventlog.EventRecorder {
	// Events of one kind must not use up the quota of others: by default, all events of an object count together. The context
	// shuts the broadcaster down: Shutdown alone makes the recording spin until everybody else has had a turn.
	broadcaster := eventlog.NewBroadcaster(eventlog.WithContext(ctx), eventlog.WithCorrelatorOptions(eventlog.CorrelatorOptions{
		// All queues together have as many as one has by default.
		LRUCacheSize: 4096 / len(Events{}),
		SpamKeyFunc:  func(e *corev1.Event) string { return string(e.InvolvedObject.UID) + "/" + e.Type + "/" + e.Reason },
	}))
	broadcaster.StartRecordingToSink(sink)
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: FieldManager})
}

// Of returns the recorder for a namespace.
func (e *Events) Of(namespace string) eventlog.EventRecorder { return e[eventQueueOf(namespace)] }

func eventQueueOf(namespace string) int {
	h := fnv.New32a()
	h.Write([]byte(namespace))
	return int(h.Sum32() % uint32(len(Events{})))
}

// impatientSink gives up an Event that has timed out while the API server answers other requests: otherwise it would be
// repeated for minutes. If the API server is away, it waits as usual.
type impatientSink struct {
	eventlog.EventSink
	// steady reports whether the API server has been asked other things since that time, and has answered.
	steady func(since time.Time) bool
}

// Create stores a new Event.
func (s impatientSink) Create(e *corev1.Event) (*corev1.Event, error) {
	began := time.Now()
	stored, err := s.EventSink.Create(e)
	return stored, s.final(err, began)
}

// Patch changes an Event to count a repetition.
func (s impatientSink) Patch(e *corev1.Event, patch []byte) (*corev1.Event, error) {
	began := time.Now()
	stored, err := s.EventSink.Patch(e, patch)
	return stored, s.final(err, began)
}

// final turns an error that is not worth another try into an answer of the API server. Only an answer ends the tries.
func (s impatientSink) final(err error, began time.Time) error {
	var connection net.Error
	if errors.As(err, &connection) && connection.Timeout() && s.steady(began) {
		return apierrors.NewTimeoutError(fmt.Sprintf("sending an event: %s", err), 0)
	}
	return err
}
