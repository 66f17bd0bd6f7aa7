package flowcontrol

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// PriorityQueue holds the keys that wait for a round: those with which something has happened go before those of low
// priority, which are merely to be looked at. After a start these are all that are stored, most of them completed long
// ago, and one whose Pod has failed must not wait until each of them has been read.
//
// It is a workqueue.Queue, whose methods are called under the lock of the queue that it is in.
type PriorityQueue struct {
	high, low workqueue.Queue[cache.ObjectName]
	// waiting are the keys of low priority. The queue low may have some that have a high one by now.
	waiting map[cache.ObjectName]struct{}
	passed  int // keys of high priority since the last of low
	// lowPriority reports whether a key has low priority, as far as is known now.
	lowPriority func(cache.ObjectName) bool
}

// highInARow is how many keys of high priority come before one of low, which must not wait for ever.
const highInARow = 3

// NewPriorityQueue returns an empty queue. lowPriority tells the priority of a key at that moment; it is called under the lock
// of the queue that this one is in, and must not use that.
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

// Touch gives a key high priority if something has happened since it was added.
func (q *PriorityQueue) Touch(key cache.ObjectName) {
	if _, waits := q.waiting[key]; waits && !q.lowPriority(key) {
		delete(q.waiting, key)
		q.high.Push(key)
	}
}

// Len returns the number of keys.
func (q *PriorityQueue) Len() int { return q.high.Len() + len(q.waiting) }

// Pop takes a key out, of which there must be one.
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
