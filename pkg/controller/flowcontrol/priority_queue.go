package flowcontrol

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// PriorityQueue holds the keys that wait for a round: keys with events come before keys of low priority, which only need a
// look. After a start, all stored Frameworks have low priority, most of them completed long ago, and one whose Pod has failed
// must not wait until each of them has been read.
//
// It implements workqueue.Queue. The methods are called under the lock of the enclosing queue.
type PriorityQueue struct {
	high, low workqueue.Queue[cache.ObjectName]
	// waiting are the keys of low priority. The queue low may also have keys that now have a high one.
	waiting map[cache.ObjectName]struct{}
	passed  int // keys of high priority since the last one of low priority
	// lowPriority reports whether a key currently has low priority.
	lowPriority func(cache.ObjectName) bool
}

// highInARow is how many keys of high priority come before one of low priority, which must not wait forever.
const highInARow = 3

// NewPriorityQueue returns an empty queue. lowPriority reports the current priority of a key; it is called under the lock of
// the enclosing queue, and must not use that queue.
func NewPriorityQueue(lowPriority func(cache.ObjectName) bool) *PriorityQueue {
	return &PriorityQueue{
		high:        workqueue.DefaultQueue[cache.ObjectName](),
		low:         workqueue.DefaultQueue[cache.ObjectName](),
		waiting:     map[cache.ObjectName]struct{}{},
		lowPriority: lowPriority,
	}
}

// Push adds a key that is not in the queue.
func (q *PriorityQueue) Push(key cache.ObjectName) {
	if !q.lowPriority(key) {
		q.high.Push(key)
		return
	}
	q.waiting[key] = struct{}{}
	q.low.Push(key)
}

// Touch gives a key high priority if it has had an event since it was added.
func (q *PriorityQueue) Touch(key cache.ObjectName) {
	if _, waits := q.waiting[key]; waits && !q.lowPriority(key) {
		delete(q.waiting, key)
		q.high.Push(key)
	}
}

// Len returns the number of keys.
func (q *PriorityQueue) Len() int { return q.high.Len() + len(q.waiting) }

// Pop removes and returns a key. The queue must not be empty.
func (q *PriorityQueue) Pop() cache.ObjectName {
	if len(q.waiting) > 0 && (q.high.Len() == 0 || q.passed >= highInARow) {
		q.passed = 0
		return q.popLow()
	}
	q.passed++
	return q.high.Pop()
}

func (q *PriorityQueue) popLow() cache.ObjectName {
	for {
		key := q.low.Pop()
		if _, waits := q.waiting[key]; waits {
			delete(q.waiting, key)
			return key
		}
	}
}
