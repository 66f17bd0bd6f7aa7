package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// volcano plays Volcano: a PodGroup is admitted when its queue and the cluster have room for its minimum, and then gets places for its
// minimum at once, or none. Each pass is a session, which looks at everything again.
type volcano struct {
	clients
	empty room // the nodes without Pods
	said  map[types.UID]string
}

func beginVolcano(ctx context.Context, config []byte, c clients) (scheduler, error) {
	var of struct {
		Nodes []string `json:"nodes"`
	}
	if err := read(config, &of); err != nil {
		return nil, err
	}
	empty, err := c.roomOn(ctx, of.Nodes)
	return &volcano{c, empty, map[types.UID]string{}}, err
}

func (v *volcano) name() string { return "volcano" }

func (v *volcano) pass(ctx context.Context, pods []pod) error {
	s := session{room: v.empty.left(pods), queues: map[string]*queue{}}
	var queues []*queue
	if err := list(ctx, v.clients, "queues", &queues); err != nil {
		return err
	}
	for _, q := range queues {
		s.queues[q.Name] = q
	}
	if err := list(ctx, v.clients, "podgroups", &s.gangs); err != nil {
		return err
	}
	if err := v.rank(ctx, s.gangs); err != nil {
		return err
	}
	slices.SortStableFunc(s.gangs, func(a, b *gang) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
	})
	s.share(pods)
	s.enqueue()
	s.allocate()
	s.preempt()
	return v.perform(ctx, &s)
}

// perform carries out the decisions of a session. As with Volcano, the events of a group are sent after its change.
func (v *volcano) perform(ctx context.Context, s *session) error {
	var errs []error
	for _, p := range s.victims {
		errs = append(errs, v.evict(ctx, p))
	}
	for _, g := range s.gangs {
		for _, p := range g.pods {
			switch node, placed := g.places[p.UID]; {
			case placed:
				errs = append(errs, v.bind(ctx, p, node, nil))
			case p.isWaiting() && !g.isPending():
				words := cmp.Or(g.unschedulable, "all nodes are unavailable: Insufficient cpu")
				errs = append(errs, v.tell(ctx, p, corev1.PodReasonUnschedulable, words))
			}
		}
		errs = append(errs, v.writeGroup(ctx, g), v.tellEvents(ctx, g))
	}
	return errors.Join(errs...)
}

// tellEvents reports why a group is not admitted, once for each reason. For each group there is also an event at the same second that
// counts its Pods, of which there are none; a group whose queue is closed has only that event.
func (v *volcano) tellEvents(ctx context.Context, g *gang) error {
	counts := ""
	if g.phase == phasePending {
		counts = fmt.Sprintf("0/0 tasks in gang unschedulable: pod group is not ready, %d minAvailable", g.Spec.MinMember)
	}
	if v.said[g.UID] == g.waits+counts {
		return nil
	}
	v.said[g.UID] = g.waits + counts
	now := metav1.Now()
	return errors.Join(v.tellEvent(ctx, g, now, corev1.EventTypeNormal, g.waits), v.tellEvent(ctx, g, now, corev1.EventTypeWarning, counts))
}

// tellEvent creates an event of a group, unless the message is empty.
func (v *volcano) tellEvent(ctx context.Context, g *gang, now metav1.Time, kind, message string) error {
	if message == "" {
		return nil
	}
	_, err := v.core.CoreV1().Events(g.Namespace).Create(ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{GenerateName: g.Name + "."},
		InvolvedObject: corev1.ObjectReference{APIVersion: volcanoAPI.String(), Kind: "PodGroup", Namespace: g.Namespace, Name: g.Name, UID: g.UID},
		Type:           kind, Reason: "Unschedulable", Message: message, FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}, metav1.CreateOptions{})
	return unlessChanged(err)
}

func (v *volcano) writeGroup(ctx context.Context, g *gang) error {
	next := g.nextStatus()
	if next.equals(g.Status) {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": g.UID}, "status": next})
	if err != nil {
		return err
	}
	_, err = v.objects.Resource(volcanoAPI.WithResource("podgroups")).Namespace(g.Namespace).
		Patch(ctx, g.Name, types.MergePatchType, patch, metav1.PatchOptions{}) // a group's status is no resource of its own
	return unlessChanged(err)
}

var volcanoAPI = schema.GroupVersion{Group: "scheduling.volcano.sh", Version: "v1beta1"}

// list reads all objects of one of Volcano's kinds.
func list[T any](ctx context.Context, c clients, resource string, into *[]T) error {
	found, err := c.objects.Resource(volcanoAPI.WithResource(resource)).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return decode(found.Items, into)
}

func decode[T any](found []unstructured.Unstructured, into *[]T) error {
	text, err := json.Marshal(found)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// queue is a queue of Volcano.
type queue struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Capability corev1.ResourceList `json:"capability"`
	} `json:"spec"`
	Status struct {
		State string `json:"state"`
	} `json:"status"`

	taken int64 // thousandths of a CPU, taken by existing Pods and admitted groups
}

func (q *queue) isOpen() bool { return cmp.Or(q.Status.State, "Open") == "Open" }

func (q *queue) hasRoom(cpu int64) bool {
	limit, limited := q.Spec.Capability[corev1.ResourceCPU]
	return !limited || q.taken+cpu <= limit.MilliValue()
}
