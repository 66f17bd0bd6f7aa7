package controller

import (
	"context"

	"k8s.io/client-go/tools/cache"
)

// idleWrite is how far a status write that nothing depends on has come in the queue of the actions.
type idleWrite int

const (
	notInLine idleWrite = iota
	inLine
	atTheFront
)

// idleWrites owns the places of status writes in the pool: together they take turns with the Frameworks' actions.
var idleWrites = cache.ObjectName{}

// queues reports whether a status write that nothing depends on has to wait, because there are actions that wait. It
// takes its place behind them then: so long as the API server has more to do than it can, creating and deleting comes
// before telling about it, and what there is to tell by the end is told at once.
func (c *Controller) queues(r *record) bool {
	if r.idleWrite == notInLine && c.pool.crowded() {
		r.idleWrite = inLine
		c.pool.submit(idleWrites, func(context.Context) { c.tell(r.key, placeReached{}) })
	}
	return r.idleWrite == inLine
}

// hearOfPlace: it is the turn of the write that waits, if one still does.
func (r *record) hearOfPlace() {
	if r.idleWrite == inLine {
		r.idleWrite = atTheFront
	}
}
