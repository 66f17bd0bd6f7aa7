package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

const (
	// answerWithin is less than the 5 s for which the controller waits. A caller that waits for less has a deadline.
	answerWithin = 4 * time.Second
	// verifyWithin limits the request that verifies a Pod, which the answer waits for only as long as its caller does.
	verifyWithin = 4 * time.Second
	// The numbers of logs that are read at the same time, of ended and of running containers. Each has a buffer of 64 KiB.
	mostReaders   = 32
	mostFollowers = 256
	// placeWithin is how long a log waits for one of these places. Its Pod may exist for longer than the controller waits.
	placeWithin = time.Minute
	// memory limits all readings together, in bytes, without the first block of each.
	memory = 96 << 20
	// endedWithin limits the reading of a container that has ended: 10 GB take minutes.
	endedWithin = 10 * time.Minute
	// saveWithin limits the storing of one log.
	saveWithin = 30 * time.Second
)

// Store takes the logs.
type Store interface {
	LogComplete(context.Context, store.LogKey) (bool, error)
	SaveLog(context.Context, store.NewLog) error
}

// Cluster has Pods and their logs; a kubeclient.Client has them. Its requests must not have a timeout: a log is followed until its container
// has ended.
type Cluster interface {
	Pod(ctx context.Context, namespace, name string) (*corev1.Pod, error)
	Pods(context.Context, metav1.ListOptions) (*corev1.PodList, error)
	Log(ctx context.Context, namespace, pod string, options corev1.PodLogOptions) (io.ReadCloser, error)
}

// Options of a collector.
type Options struct {
	Cluster Cluster
	Store   Store
	Config  logs.Config
	Log     hclog.Logger
}

// Collector reads logs.
type Collector struct {
	Options
	budget             *logs.Budget
	readers, followers chan struct{}
	ctx                context.Context // ends with Close
	stop               context.CancelFunc
	under              sync.WaitGroup
	heads              heads

	mutex    sync.Mutex
	readings map[store.LogKey]*reading
	// Tests change these.
	answerWithin, placeWithin, saveEvery, reopenAfter, earlyWithin time.Duration
}

// New returns a collector. Close it at the end.
func New(o Options) *Collector {
	c := &Collector{Options: o, budget: logs.NewBudget(memory), readers: make(chan struct{}, mostReaders),
		followers: make(chan struct{}, mostFollowers), readings: map[store.LogKey]*reading{}, heads: heads{all: map[headKey]head{}},
		answerWithin: answerWithin, placeWithin: placeWithin, saveEvery: time.Minute, reopenAfter: time.Second, earlyWithin: 10 * time.Second}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// Close ends all readings, and stores the part that each has read.
func (c *Collector) Close() {
	c.mutex.Lock()
	c.stop()
	c.mutex.Unlock()
	c.under.Wait()
}

// Collect reads the logs of a Pod. It returns once the logs of ended containers are stored, and the logs of running containers are being
// read. It returns after 4 s at the latest, and before the deadline of the caller. Three quarters of that time are for opening the logs,
// because the Pod is verified afterwards. Reading continues after the answer.
func (c *Collector) Collect(ctx context.Context, cluster string, r *pluginpb.CollectLogsRequest) error {
	plan := c.Config.Plan(r)
	if len(plan.Containers) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.answerWithin)
	defer cancel()
	p := &pod{request: r, limits: plan.Limits, verified: make(chan struct{})}
	var all []*reading
	for position, container := range plan.Containers {
		last := container.GetRestarts()
		for start := max(last-1, 0); start <= last; start++ {
			key := store.LogKey{Cluster: cluster, PodUID: r.GetPodUid(), Container: container.GetName(), Start: start}
			reading, err := c.begin(ctx, p, key, position, container.GetRunning() && start == last, start < last)
			if err != nil {
				c.beginVerifying(p) // the logs that are being read already are stored
				return err
			}
			if reading != nil {
				all = append(all, reading)
			}
		}
	}
	opening, cancelOpening := context.WithTimeout(ctx, timeLeft(ctx)*3/4)
	defer cancelOpening()
	await(opening, all, func(r *reading) <-chan struct{} { return r.opened })
	c.beginVerifying(p)
	await(ctx, all, func(r *reading) <-chan struct{} {
		if r.running {
			return r.opened
		}
		return r.done
	})
	return nil
}

// timeLeft returns the time until the deadline of a context, which must have one.
func timeLeft(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	return time.Until(deadline)
}

// await waits for a channel of each reading, or for the end of ctx.
func await(ctx context.Context, all []*reading, of func(*reading) <-chan struct{}) {
	for _, r := range all {
		select {
		case <-of(r):
		case <-ctx.Done():
			return
		}
	}
}

// begin begins a reading, or returns the one in progress. It returns nil if the log is stored already.
func (c *Collector) begin(ctx context.Context, p *pod, key store.LogKey, position int, running, previous bool) (*reading, error) {
	complete, err := c.Store.LogComplete(ctx, key)
	if err != nil || complete {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if r := c.readings[key]; r != nil {
		return r, nil
	}
	if c.ctx.Err() != nil {
		return nil, errors.New("the server stops")
	}
	r := &reading{collector: c, pod: p, key: key, position: position, running: running, previous: previous,
		opened: make(chan struct{}), done: make(chan struct{})}
	c.readings[key], p.read = r, true
	c.under.Go(func() {
		defer func() {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			delete(c.readings, key)
			close(r.done)
		}()
		r.run()
	})
	return r, nil
}

// pod is the Pod of a request.
type pod struct {
	request *pluginpb.CollectLogsRequest
	limits  logs.Limits
	// read: readings have begun for this request.
	read bool
	// verifying is set before the API server is asked for the rest, and verified is closed when it is known.
	verifying atomic.Bool
	verified  chan struct{}
	// found is the Pod; nil if it is gone, or cannot be read.
	found *corev1.Pod
	// other is why nothing may be stored under this Pod; nil if all is well.
	other error
}

// errOtherPod is why a log is not stored.
var errOtherPod = errors.New("another Pod has its name already")

// beginVerifying lets the streams that are opened from now on be verified one by one, and verifies the others together.
func (c *Collector) beginVerifying(p *pod) {
	p.verifying.Store(true)
	if p.read { // the readings wait for it, so Close does, too
		c.under.Go(func() { c.verify(p) })
	}
}

// verify checks that the open streams belong to the Pod. They were opened by its name, and names are reused. A Pod that has the name after
// a stream was opened had it at the opening, too, because it existed before the request arrived.
func (c *Collector) verify(p *pod) {
	defer close(p.verified)
	ctx, cancel := context.WithTimeout(context.Background(), verifyWithin) // after a stop, too, the part that was read is stored
	defer cancel()
	r := p.request
	found, err := c.Cluster.Pod(ctx, r.GetFramework().GetNamespace(), r.GetPodName())
	switch {
	case apierrors.IsNotFound(err):
	case err != nil:
		p.other = fmt.Errorf("the Pod cannot be read: %w", err)
	case string(found.UID) != r.GetPodUid():
		p.other = errOtherPod
	default:
		p.found = found
	}
}
