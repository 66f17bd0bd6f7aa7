package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// asker has questions answered by plugins. The answers come back as events.
type asker struct {
	panel    *consult.Panel // nil if there are no plugins
	clients  *apiserver.Clients
	watches  *watches
	watched  *objectWatches[[]byte] // of the objects that hints want
	served   *servedVersions
	reporter *reporter
	enqueue  func(cache.ObjectName, event)
	log      hclog.Logger
	now      func() time.Time

	underWay sync.WaitGroup  // questions
	ctx      context.Context // of them; ends when the controller stops
}

// answer is what became of questions.
type answer struct {
	framework types.UID // that they were about
	questions []lifecycle.Action
	// apply enters the answers into the record.
	apply func(*record)
}

func (answer) isEvent() {}

// inquiry finds out answers. It must not touch the record; what it returns applies them.
type inquiry func(context.Context) (apply func(*record))

func (k *asker) ask(r *record, find inquiry, asked ...lifecycle.Action) {
	for _, a := range asked {
		r.questions.open[a] = true
	}
	key, uid := r.key, r.uid
	k.underWay.Go(func() {
		k.enqueue(key, answer{uid, asked, k.findGuarded(key, find, asked)})
	})
}

// findGuarded recovers from a panic that a question brings about. The question then counts as one that could not be
// answered. What a plugin has answered may be such a bug's cause.
func (k *asker) findGuarded(key cache.ObjectName, find inquiry, asked []lifecycle.Action) (apply func(*record)) {
	defer func() {
		if cause := recover(); cause != nil {
			err := panicked(k.log, key, cause)
			apply = func(r *record) {
				for _, a := range asked {
					k.postpone(r, a, err)
				}
			}
		}
	}()
	return find(k.ctx)
}

// postpone notes that a question cannot be answered now, and has it asked again after a while.
func (k *asker) postpone(r *record, a lifecycle.Action, err error) {
	r.questions.waiting[topic(a)] = waitingQuestion{question: a, why: err}
	pause := askAgainAfter
	if later := new(retryLaterError); errors.As(err, &later) {
		pause = later.after
	}
	r.schedule.retryNotAfter(k.now().Add(pause))
	r.schedule.lookAtAll() // the condition says so
	k.log.Debug("a plugin is waited for", "framework", r.key.String(), "question", a.String(), "error", err)
}
