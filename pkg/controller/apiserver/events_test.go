package apiserver

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	eventlog "k8s.io/client-go/tools/record"
)

// hangingSink blocks the Events of one namespace, as an unresponsive webhook does.
type hangingSink struct {
	eventlog.EventSink // nil: nothing else is asked
	namespace          string
	until              chan struct{}
	stored             chan string // names of the namespaces of the others
}

func (s *hangingSink) Create(e *corev1.Event) (*corev1.Event, error) {
	if e.Namespace == s.namespace {
		<-s.until
	}
	s.stored <- e.Namespace
	return e, nil
}

// If Events of one namespace are not accepted, the Events of another are not held up.
func TestEventsOfOtherNamespacesDoNotWait(t *testing.T) {
	t.Parallel()
	sink := &hangingSink{namespace: "hangs", until: make(chan struct{}), stored: make(chan string, 10)}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer close(sink.until)
	e := newEvents(ctx, sink)
	e.Of("hangs").Event(eventAbout("hangs"), corev1.EventTypeNormal, "Completed", "it has completed")
	other := otherQueue("hangs")
	e.Of(other).Event(eventAbout(other), corev1.EventTypeNormal, "Completed", "it has completed")
	select {
	case got := <-sink.stored:
		if got != other {
			t.Errorf("the Event of %s was stored", got)
		}
	case <-time.After(time.Minute):
		t.Error("it waits")
	}
}

// countingSink counts requests, and keeps the annotations of the Event that was created last.
type countingSink struct {
	eventlog.EventSink
	created, patched chan *corev1.Event
}

func (s countingSink) Create(e *corev1.Event) (*corev1.Event, error) {
	s.created <- e
	return e, nil
}

func (s countingSink) Patch(e *corev1.Event, _ []byte) (*corev1.Event, error) {
	s.patched <- e
	return e, nil
}

// A repeated Event with annotations is counted like any other: it costs a request, but creates no new Event.
func TestEventsWithAnnotationsAreCounted(t *testing.T) {
	t.Parallel()
	sink := countingSink{created: make(chan *corev1.Event, 10), patched: make(chan *corev1.Event, 10)}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e := newEvents(ctx, sink).Of("default")
	annotations := map[string]string{"attempt": "0"}
	for range 3 {
		e.AnnotatedEventf(eventAbout("default"), annotations, corev1.EventTypeNormal, "Retried", "%s", "100 % the same")
	}
	first, again, last := <-sink.created, <-sink.patched, <-sink.patched
	if first.Message != "100 % the same" || first.Annotations["attempt"] != "0" || again.Count != 2 || last.Count != 3 || last.Annotations["attempt"] != "0" || len(sink.created) > 0 {
		t.Errorf("created is %+v, and patched %+v, %+v", first, again, last)
	}
}

// lateSink blocks Events of one reason.
type lateSink struct {
	eventlog.EventSink
	reason string
	stored chan string // the reasons of the others
}

func (s lateSink) Create(e *corev1.Event) (*corev1.Event, error) {
	if e.Reason == s.reason {
		return nil, &url.Error{Op: "Post", URL: "https://api/events", Err: os.ErrDeadlineExceeded}
	}
	s.stored <- e.Reason
	return e, nil
}

// An Event that is given up does not delay the Events behind it.
func TestEventThatIsGivenUp(t *testing.T) {
	t.Parallel()
	sink := lateSink{reason: "Begun", stored: make(chan string, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e := newEvents(ctx, impatientSink{sink, func(time.Time) bool { return true }}).Of("default")
	e.Event(eventAbout("default"), corev1.EventTypeNormal, "Begun", "it has begun")
	e.Event(eventAbout("default"), corev1.EventTypeNormal, "Completed", "it has completed")
	select {
	case <-sink.stored:
	case <-time.After(time.Minute):
		t.Error("it waits")
	}
}

// otherQueue returns a namespace whose Events use a different queue.
func otherQueue(than string) string {
	for i := 0; ; i++ {
		if name := fmt.Sprintf("namespace%d", i); eventQueueOf(name) != eventQueueOf(than) {
			return name
		}
	}
}

func eventAbout(namespace string) *corev1.ObjectReference {
	return &corev1.ObjectReference{Kind: "Framework", Namespace: namespace, Name: "a", UID: types.UID(namespace)}
}

// failingSink does not take Events.
type failingSink struct {
	eventlog.EventSink
	err error
}

func (s failingSink) Create(*corev1.Event) (*corev1.Event, error)        { return nil, s.err }
func (s failingSink) Patch(*corev1.Event, []byte) (*corev1.Event, error) { return nil, s.err }

// An Event is given up if it alone takes too long. One that could not be sent is sent again.
func TestWhichEventsAreGivenUp(t *testing.T) {
	t.Parallel()
	late := &url.Error{Op: "Post", URL: "https://api/events", Err: os.ErrDeadlineExceeded}
	refused := &url.Error{Op: "Post", URL: "https://api/events", Err: syscall.ECONNREFUSED}
	tests := map[string]struct {
		err      error
		answered bool
		want     bool
	}{
		"late, others are answered":     {late, true, true},
		"late, as everything":           {late, false, false},
		"no connection":                 {refused, false, false},
		"no connection to one of many":  {refused, true, false},
		"an answer, of whatever kind":   {apierrors.NewForbidden(corev1.Resource("events"), "a", nil), true, true},
		"an answer while others do not": {apierrors.NewForbidden(corev1.Resource("events"), "a", nil), false, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sink := impatientSink{failingSink{err: test.err}, func(time.Time) bool { return test.answered }}
			_, created := sink.Create(&corev1.Event{})
			_, patched := sink.Patch(&corev1.Event{}, nil)
			for _, err := range []error{created, patched} {
				// client-go stops retrying at this very type, not at one that wraps it.
				if _, answer := err.(*apierrors.StatusError); answer != test.want {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

// An answer of the API server counts from the time of the question, and an outage in between counts against it.
func TestSteadySince(t *testing.T) {
	t.Parallel()
	k, begin := &contact{}, time.Now()
	at := func(second int) time.Time { return begin.Add(time.Duration(second) * time.Second) }
	k.note(at(1), statusServed, nil)
	if !k.steadySince(at(0)) || k.steadySince(at(2)) {
		t.Error("it was asked at 1, and has answered")
	}
	k.note(at(3), unknown, os.ErrDeadlineExceeded)
	k.note(at(5), statusServed, nil)
	if k.steadySince(at(0)) || k.steadySince(at(2)) || !k.steadySince(at(4)) {
		t.Error("it did not answer at 3, and did at 5")
	}
}
