package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// eager is a classifier that wants events, and says what it gets.
type eager struct {
	silentJudge
	asked chan *pluginpb.FailedPod
}

func (eager) WantsEvents(string) bool { return true }

func (e eager) Classify(_ context.Context, _ string, pods []*pluginpb.FailedPod) (pluginhost.Verdicts, pluginhost.Source, error) {
	for _, p := range pods {
		e.asked <- p
	}
	return pluginhost.Verdicts{}, pluginhost.Source{}, nil
}

// A classifier that wants them gets the events of the Pod that has failed. If they may not be read, it is told, and asked all
// the same.
func TestClassifierGetsEvents(t *testing.T) {
	t.Parallel()
	for _, forbidden := range []bool{false, true} {
		w := newWorld(t)
		e := eager{asked: make(chan *pluginpb.FailedPod, 10)}
		w.startWith(e)
		if forbidden {
			w.Inject("list events", 1, apitest.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "you must not"))
		}
		w.create("a")
		w.eventually("a Pod", func() bool { return w.Get(apitest.Pods, "a-w-0") != nil })
		uid := string(w.Get(apitest.Pods, "a-w-0").GetUID())
		w.Create(apitest.Events, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"name": "e", "namespace": "default"},
			"reason": "FailedMount", "message": "of " + uid, "involvedObject": map[string]any{"uid": uid},
		}})
		w.RunPod("a-w-0")
		w.EndPod("a-w-0", 9)
		w.reaches("a", v1.Completed)
		q := <-e.asked
		if forbidden != (q.GetEventsLeftOut() == eventsForbidden) || forbidden != (len(q.GetEvents()) == 0) {
			t.Errorf("forbidden %t: asked is %v", forbidden, q)
		}
		if !forbidden && (len(q.GetEvents()) != 1 || q.GetEvents()[0].GetMessage() != "of "+q.GetUid()) {
			t.Errorf("the events are %v", q.GetEvents())
		}
	}
}

type eventLister func(context.Context, string, metav1.ListOptions) (*corev1.EventList, error)

func readingWith(list eventLister) *podEvents {
	return &podEvents{list: list, turns: make(chan struct{}, eventsAtATime), now: time.Now}
}

// The last events are read, in order and within limits.
func TestLastEvents(t *testing.T) {
	t.Parallel()
	at := func(sec int) time.Time { return time.Unix(int64(sec), 0) }
	list := &corev1.EventList{}
	for i := range 12 {
		list.Items = append(list.Items, corev1.Event{Reason: fmt.Sprint(i), LastTimestamp: metav1.NewTime(at(100 - i)), Count: int32(i), Message: strings.Repeat("x", 2000),
			Source: corev1.EventSource{Component: "kubelet"}})
	}
	list.Items[3].LastTimestamp, list.Items[3].EventTime = metav1.Time{}, metav1.NewMicroTime(at(50))
	list.Items[4].Series = &corev1.EventSeries{Count: 99, LastObservedTime: metav1.NewMicroTime(at(200))}
	events, leftOut := readingWith(func(_ context.Context, namespace string, o metav1.ListOptions) (*corev1.EventList, error) {
		if namespace != "ns" || o.FieldSelector != "involvedObject.uid=u" {
			t.Errorf("listed are %s in %s", o.FieldSelector, namespace)
		}
		return list, nil
	}).read(t.Context(), "ns", "u")
	var reasons []string
	for _, e := range events {
		reasons = append(reasons, e.GetReason())
		if len(e.GetMessage()) > longestEvent || e.GetCount() < 1 || e.GetSource() != "kubelet" || e.GetLast() == nil {
			t.Errorf("an event is %v", e)
		}
	}
	if got := strings.Join(reasons, " "); leftOut != "" || got != "10 9 8 7 6 5 2 1 0 4" || events[9].GetCount() != 99 {
		t.Errorf("read are %s, left out %q", got, leftOut)
	}
}

// A thousand failures at once have a few reads, and none waits for longer than its time.
func TestEventsAreLeftOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads, result := 0, error(nil)
		slow := readingWith(func(ctx context.Context, _ string, _ metav1.ListOptions) (*corev1.EventList, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		told := make(chan string)
		for range 1000 {
			go func() {
				_, leftOut := slow.read(ctx, "ns", "u")
				told <- leftOut
			}()
		}
		count := map[string]int{}
		for range 1000 {
			count[<-told]++
		}
		if count[eventsLate] != eventsAtATime || count[eventsBusy] != 1000-eventsAtATime {
			t.Errorf("left out are %v", count)
		}
		refusing := readingWith(func(context.Context, string, metav1.ListOptions) (*corev1.EventList, error) {
			reads++
			return nil, result
		})
		for _, step := range []struct {
			err   error
			want  string
			reads int
			later time.Duration
		}{
			{errors.New("no"), eventsFailed, 1, 0},
			{apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "", nil), eventsForbidden, 2, 0},
			{nil, eventsForbidden, 2, eventsForbiddenFor},
			{errors.New("no"), eventsFailed, 3, 0},
		} {
			result = step.err
			if _, leftOut := refusing.read(t.Context(), "ns", "u"); leftOut != step.want || reads != step.reads {
				t.Errorf("left out is %q after %d reads, not %q after %d", leftOut, reads, step.want, step.reads)
			}
			time.Sleep(step.later)
		}
	})
}
