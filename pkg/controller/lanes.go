package controller

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// lanes hold the keys that wait for a round: a fast lane for Frameworks with which something has happened, and a slow one
// for those that are merely to be looked at. After a start these are all that are stored, most of them completed long
// ago, and one whose Pod has failed must not wait until each of them has been read.
//
// It is a workqueue.Queue, whose methods are called under the lock of the queue that it is in.
type lanes struct {
	fast, slow workqueue.Queue[cache.ObjectName]
	// waiting are the keys of the slow lane. It may have some that have gone over to the fast one since.
	waiting map[cache.ObjectName]struct{}
	passed  int // keys of the fast lane since the last of the slow one
	// unhurried reports whether a key belongs into the slow lane, as far as is known now.
	unhurried func(cache.ObjectName) bool
}

// fastInARow is how many keys of the fast lane come before one of the slow one, which must not wait for ever.
const fastInARow = 3

func newLanes(unhurried func(cache.ObjectName) bool) *lanes {
	return &lanes{
		fast:      workqueue.DefaultQueue[cache.ObjectName](),
		slow:      workqueue.DefaultQueue[cache.ObjectName](),
		waiting:   map[cache.ObjectName]struct{}{},
		unhurried: unhurried,
	}
}

// Push adds a key that is in neither lane.
func (l *lanes) Push(key cache.ObjectName) {
	if !l.unhurried(key) {
		l.fast.Push(key)
		return
	}
	l.waiting[key] = struct{}{}
	l.slow.Push(key)
}

// Touch moves a key to the fast lane if something has happened since it was added.
func (l *lanes) Touch(key cache.ObjectName) {
	if _, waits := l.waiting[key]; waits && !l.unhurried(key) {
		delete(l.waiting, key)
		l.fast.Push(key)
	}
}

// Len returns the number of keys.
func (l *lanes) Len() int { return l.fast.Len() + len(l.waiting) }

// Pop takes a key out, of which there must be one.
func (l *lanes) Pop() cache.ObjectName {
	if len(l.waiting) > 0 && (l.fast.Len() == 0 || l.passed >= fastInARow) {
		l.passed = 0
		return l.popSlow()
	}
	l.passed++
	return l.fast.Pop()
}

func (l *lanes) popSlow() cache.ObjectName {
	for {
		key := l.slow.Pop()
		if _, waits := l.waiting[key]; waits {
			delete(l.waiting, key)
			return key
		}
	}
}
