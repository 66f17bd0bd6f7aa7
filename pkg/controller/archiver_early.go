package controller

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	historyrecords "github.com/frameworkcontroller/frameworkcontroller/pkg/history/records"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// early holds the completed Tasks of all Frameworks until their records are sent, while the attempts of the Frameworks go on. An attempt
// may take weeks, and a restart loses the facts that only Pods have. It is not the outbox: a record that is not sent early is not lost,
// but sent with its attempt, so none is counted as dropped, and a second passes to send many at once.
type early struct {
	mu       sync.Mutex
	waiting  []earlyTask
	underWay bool
}

type earlyTask struct {
	ended endedAttempt
	ref   lifecycle.TaskRef
}

const (
	// earlyAfter is the time in which further completed Tasks gather.
	earlyAfter = time.Second
	// earlyAtMost limits the Tasks that wait. Others are sent with the attempt.
	earlyAtMost = 4096
)

// sentTasks are the Tasks of an attempt whose records were sent early. It is safe for concurrent use.
type sentTasks struct {
	mu     sync.Mutex
	tasks  map[lifecycle.TaskRef]lifecycle.ArchivedTask
	fresh  map[lifecycle.TaskRef]types.UID // Pods since the last call of takeFresh
	closed bool                            // the attempt is being archived as a whole
}

func (s *sentTasks) has(ref lifecycle.TaskRef, is lifecycle.ArchivedTask) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tasks[ref] == is
}

func (s *sentTasks) add(ref lifecycle.TaskRef, t *v1.TaskStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks[ref] = lifecycle.ArchivedTask{UID: t.InstanceUID, AttemptID: t.AttemptStatus.ID}
	if uid := t.AttemptStatus.PodUID; uid != nil {
		s.fresh[ref] = *uid
	}
}

func (s *sentTasks) takeFresh() (fresh map[lifecycle.TaskRef]types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh, s.fresh = s.fresh, map[lifecycle.TaskRef]types.UID{}
	return fresh
}

func (s *sentTasks) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *sentTasks) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// sendCompleted sends the records of Tasks that are stored as completed, a little later.
func (a *archiver) sendCompleted(r *record, moves []lifecycle.Move) {
	if !r.archive.wanted || r.status.saved == nil || hasEnded(r.status.saved) {
		return
	}
	var tasks []lifecycle.ArchiveTask
	for _, m := range moves {
		if m.Task != nil && m.To == v1.Completed {
			tasks = append(tasks, lifecycle.ArchiveTask{Task: *m.Task})
		}
	}
	if len(tasks) == 0 {
		return
	}
	if r.archive.sent == nil {
		r.archive.sent = &sentTasks{tasks: map[lifecycle.TaskRef]lifecycle.ArchivedTask{}, fresh: map[lifecycle.TaskRef]types.UID{}}
	}
	ended := a.endedAttempt(r, r.archive.copyOf(tasks))
	e := &a.early
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range tasks[:min(len(tasks), earlyAtMost-len(e.waiting))] {
		e.waiting = append(e.waiting, earlyTask{ended, t.Task})
	}
	if !e.underWay && len(e.waiting) > 0 {
		e.underWay = true
		a.underWay.Go(a.flushEarly)
	}
}

// flushEarly returns when no Tasks wait. There is one call at a time, so that Tasks do not pile up behind a sink that hangs.
func (a *archiver) flushEarly() {
	for {
		select {
		case <-time.After(earlyAfter):
		case <-a.ctx.Done():
			return
		}
		waiting := a.early.take()
		if len(waiting) == 0 {
			return
		}
		a.sendEarly(waiting)
	}
}

// take returns the Tasks that wait. If there are none, the caller sends no more.
func (e *early) take() []earlyTask {
	e.mu.Lock()
	defer e.mu.Unlock()
	waiting := e.waiting
	e.waiting, e.underWay = nil, len(waiting) > 0
	return waiting
}

func (a *archiver) sendEarly(waiting []earlyTask) {
	defer func() {
		if cause := recover(); cause != nil {
			_ = panicked(a.log, cache.MetaObjectToName(waiting[0].ended.of.Meta), cause)
		}
	}()
	var all []*pluginpb.Record
	var sent []earlyTask
	for _, t := range waiting {
		if t.ended.seen.sent.isClosed() {
			continue
		}
		if made := historyrecords.Tasks(t.ended.of, t.ended.saved, []lifecycle.TaskRef{t.ref}, &t.ended.seen); len(made) > 0 {
			all, sent = append(all, made...), append(sent, t)
		}
	}
	if len(all) == 0 {
		return
	}
	skipped := skippedPlugins{}
	if err := a.panel.Archive(a.ctx, all, skipped.add); err != nil || len(skipped) > 0 {
		a.log.Debug("records of completed Tasks are not stored yet", "records", len(all), "error", err)
		return
	}
	for _, t := range sent {
		t.ended.seen.sent.add(t.ref, t.ended.saved.Task(t.ref))
	}
}
