package hintobjects

import (
	"context"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// mostObjectEvents limits the events that a plugin receives (plugin.proto).
const mostObjectEvents = 20

// Events returns the events of others about objects, the newest last. Some schedulers report only there why a gang waits.
// Unreadable ones are skipped: they are for people only.
func Events(ctx context.Context, client kubernetes.Interface, namespace string, objects []Object) []*pluginpb.ObjectEvent {
	var out []*pluginpb.ObjectEvent
	for i, o := range objects {
		if o.UID == "" {
			continue
		}
		list, err := client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{
			FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", string(o.UID)).String(),
		})
		if err != nil {
			continue
		}
		for _, e := range list.Items {
			out = append(out, &pluginpb.ObjectEvent{
				Object: int32(i), Type: e.Type, Reason: e.Reason, Message: e.Message, LastSeen: timestamppb.New(lastSeen(&e)),
			})
		}
	}
	slices.SortStableFunc(out, func(a, b *pluginpb.ObjectEvent) int {
		return a.LastSeen.AsTime().Compare(b.LastSeen.AsTime())
	})
	return out[max(0, len(out)-mostObjectEvents):]
}

// lastSeen returns the time from the fields of older and newer recorders of events.
func lastSeen(e *corev1.Event) (last time.Time) {
	for _, at := range []time.Time{e.CreationTimestamp.Time, e.LastTimestamp.Time, e.EventTime.Time} {
		if at.After(last) {
			last = at
		}
	}
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	return last
}
