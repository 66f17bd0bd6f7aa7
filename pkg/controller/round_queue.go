package controller

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

// roundQueue has the keys of Frameworks that are due for a round, and the records of all Frameworks.
type roundQueue struct {
	workqueue.TypedRateLimitingInterface[cache.ObjectName]
	records records
}

func newRoundQueue(m workqueue.MetricsProvider, avoidByHostname bool) *roundQueue {
	q := &roundQueue{records: newRecords()}
	q.records.avoidByHostname = avoidByHostname
	q.TypedRateLimitingInterface = newQueue(m, flowcontrol.NewPriorityQueue(q.records.lowPriority))
	return q
}

// enqueue puts an event into a Framework's mailbox and schedules a round.
func (q *roundQueue) enqueue(key cache.ObjectName, e event) {
	q.records.get(key).mailbox.put(e)
	q.Add(key)
}

// newQueue returns a queue of Framework keys. Each key has its own retry delay: problems of one Framework do not slow down
// another.
func newQueue(m workqueue.MetricsProvider, keys *flowcontrol.PriorityQueue) workqueue.TypedRateLimitingInterface[cache.ObjectName] {
	name := ""
	if m != nil {
		name = v1.FrameworkPlural // without a name there are no metrics
	}
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](5*time.Millisecond, flowcontrol.MaxDelay),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{
			Name:            name,
			MetricsProvider: m,
			DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[cache.ObjectName]{
				Name:            name,
				MetricsProvider: m,
				Queue: workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[cache.ObjectName]{
					Name:            name,
					MetricsProvider: m,
					Queue:           keys,
				}),
			}),
		})
}

// records holds the records of all Frameworks that were seen and not yet forgotten.
type records struct {
	mu    sync.Mutex
	byKey map[cache.ObjectName]*record
	// avoidByHostname is copied to each record.
	avoidByHostname bool
}

func (m *records) get(key cache.ObjectName) *record {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.byKey[key]
	if r == nil {
		r = &record{key: key, avoidByHostname: m.avoidByHostname}
		m.byKey[key] = r
	}
	return r
}

// lowPriority reports whether the next round of a Framework may wait for the rounds of others: it is the first, or the Framework
// has ended and only its retention is to be checked, and nothing else has happened.
func (m *records) lowPriority(key cache.ObjectName) bool {
	m.mu.Lock()
	r := m.byKey[key]
	m.mu.Unlock()
	if r == nil {
		return false
	}
	anything, more := r.mailbox.holds()
	return !more && (anything || r.ended.Load())
}

func (m *records) forget(key cache.ObjectName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.byKey, key)
}

// keys returns the keys of all records, in no order.
func (m *records) keys() []cache.ObjectName {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.byKey))
}

func newRecords() records { return records{byKey: map[cache.ObjectName]*record{}} }
