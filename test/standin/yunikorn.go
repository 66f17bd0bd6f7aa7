package main

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// yunikorn plays Apache YuniKorn: the task groups of an application's first Pod become placeholders, which take nodes as they arrive,
// application by application. When all have one, the Pods replace them. Here the placeholders are no Pods.
type yunikorn struct {
	clients
	config yunikornConfig
	empty  room           // the nodes without Pods
	apps   []*application // in the order of arrival
}

type yunikornConfig struct {
	Nodes []string `json:"nodes"`
	// Queues are the CPUs that each may use at most.
	Queues map[string]int64 `json:"queues"`
	// CompletingSec is how long an application without Pods waits for more. It is 30 seconds in the real one.
	CompletingSec int `json:"completingSec"`
}

func beginYunikorn(ctx context.Context, config []byte, c clients) (scheduler, error) {
	y := &yunikorn{clients: c}
	if err := read(config, &y.config); err != nil {
		return nil, err
	}
	var err error
	y.empty, err = c.roomOn(ctx, y.config.Nodes)
	return y, err
}

func (y *yunikorn) name() string { return "yunikorn" }

func (y *yunikorn) pass(ctx context.Context, pods []pod) error {
	s := &shares{room: y.empty.left(pods), limits: y.config.Queues, used: map[string]int64{}}
	now := time.Now()
	y.apps = slices.DeleteFunc(y.apps, (*application).isForgotten)
	byApp := y.share(pods)
	for _, a := range y.apps {
		a.count(byApp[a.id], now, time.Duration(y.config.CompletingSec)*time.Second)
		for _, p := range byApp[a.id] {
			if p.isThere() {
				s.used[a.queue] += p.cpu()
			}
		}
		for _, h := range a.held {
			s.room.free[h.node] -= h.cpu
			s.used[a.queue] += h.cpu
		}
	}
	var errs []error
	for _, a := range y.apps {
		a.reserve(s, now)
		for _, p := range byApp[a.id] {
			if p.isWaiting() {
				errs = append(errs, y.schedule(ctx, a, p, s))
			}
		}
	}
	return errors.Join(errs...)
}

// share returns the Pods of each application. An unknown application begins with its first waiting Pod.
func (y *yunikorn) share(pods []pod) map[string][]pod {
	out := map[string][]pod{}
	for _, a := range y.apps {
		out[a.id] = nil
	}
	for _, p := range pods {
		id := p.Labels["yunikorn.apache.org/app-id"]
		_, known := out[id]
		if !known && (id == "" || !p.isWaiting()) {
			continue
		}
		if !known {
			y.apps = append(y.apps, applicationOf(id, p))
		}
		out[id] = append(out[id], p)
	}
	return out
}

// schedule handles a waiting Pod.
func (y *yunikorn) schedule(ctx context.Context, a *application, p pod, s *shares) error {
	switch a.state {
	case stateFailed:
		if a.failedWith[p.UID] { // later Pods wait until it is forgotten
			return y.fail(ctx, p, "ResourceReservationTimeout", "Scheduling has timed out due to insufficient resources")
		}
		return y.tell(ctx, p, corev1.PodReasonUnschedulable, "application "+a.id+" has failed")
	case stateCompleted:
		return y.tell(ctx, p, corev1.PodReasonUnschedulable, "application "+a.id+" has completed")
	case stateReserving:
		return y.tell(ctx, p, corev1.PodReasonUnschedulable, "application "+a.id+" waits for its placeholders")
	}
	node, found := a.takePlaceholder(p)
	if !found {
		node, found = s.take(a.queue, p.cpu())
	}
	if !found {
		return y.tell(ctx, p, corev1.PodReasonUnschedulable, "application "+a.id+": no node, or queue "+a.queue+", has room")
	}
	return y.bind(ctx, p, node, nil)
}

// shares are the free capacity of nodes and queues.
type shares struct {
	room   room
	limits map[string]int64 // CPUs, by queue
	used   map[string]int64 // thousandths
}

func (s *shares) take(queue string, cpu int64) (node string, found bool) {
	if limit, limited := s.limits[queue]; limited && s.used[queue]+cpu > limit*1000 {
		return "", false
	}
	if node, found = s.room.take(cpu); found {
		s.used[queue] += cpu
	}
	return node, found
}
