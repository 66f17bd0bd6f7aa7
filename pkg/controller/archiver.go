package controller

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	historyrecords "github.com/frameworkcontroller/frameworkcontroller/pkg/history/records"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// archiver sends records to the sinks of the history. Attempts are archived before they are dropped: these are questions of the
// core, which waits for the answers. Nothing waits for any other record.
type archiver struct {
	panel *consult.Panel // nil if there are no plugins
	// environment keeps values of environment variables in objects.
	environment bool
	reporter    *reporter
	log         hclog.Logger
	ctx         context.Context
	underWay    *sync.WaitGroup
	// turns limit the questions that are answered at the same time.
	turns  chan struct{}
	early  early
	outbox outbox
}

// turnsAtMost limits the questions that are sent at the same time. A plugin has eight calls at a time.
const turnsAtMost = 16

// archiveTasks asks about attempts of Tasks, in one question.
func (k *asker) archiveTasks(r *record, asked []lifecycle.ArchiveTask) {
	var questions []lifecycle.Action
	var refs []lifecycle.TaskRef
	for _, a := range asked {
		questions, refs = append(questions, a), append(refs, a.Task)
	}
	ended := k.archiver.endedAttempt(r, r.archive.copyOf(asked))
	k.archive(r, questions, func() []*pluginpb.Record {
		return historyrecords.Tasks(ended.of, ended.saved, refs, &ended.seen)
	}, func(r *record) {
		for _, a := range asked {
			r.archive.finishTask(a)
			r.schedule.lookAt(a.Task)
		}
	})
}

func (k *asker) archiveAttempt(r *record, asked lifecycle.ArchiveAttempt) {
	if r.archive.sent != nil {
		r.archive.sent.close()
	}
	ended := k.archiver.endedAttempt(r, r.archive.copyOfAll())
	k.archive(r, []lifecycle.Action{asked}, func() []*pluginpb.Record {
		return historyrecords.Attempt(ended.of, ended.saved, &ended.seen)
	}, func(r *record) {
		r.archive.finishAttempt(asked)
		r.schedule.lookAtAll()
	})
}

// archive sends records in turn, and makes them only then: a controller that starts archives all completed Frameworks again, and their
// records together may be large.
func (k *asker) archive(r *record, asked []lifecycle.Action, records func() []*pluginpb.Record, finish func(*record)) {
	archiver := k.archiver
	k.ask(r, func(ctx context.Context) func(*record) {
		skipped := skippedPlugins{}
		err := archiver.sendInTurn(ctx, records, skipped.add)
		return func(r *record) {
			if err != nil {
				for _, a := range asked {
					k.postpone(r, a, err)
				}
				return
			}
			archiver.reportDropped(r, skipped)
			finish(r)
		}
	}, asked...)
}

// sendInTurn returns ctx's error, or a *Waiting.
func (a *archiver) sendInTurn(ctx context.Context, records func() []*pluginpb.Record, skipped consult.Skipped) error {
	select {
	case a.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-a.turns }()
	return a.panel.Archive(ctx, records(), skipped)
}

// reportDropped reports the sinks that lack some of the records. Nothing waits for these records from now on.
func (a *archiver) reportDropped(r *record, skipped skippedPlugins) {
	for sink, why := range skipped {
		number := notStored(why)
		a.reporter.observer.HistoryDropped(number)
		message := fmt.Sprintf("%d records were dropped, as sink %s does not store them: %v", number, sink, why)
		a.reporter.warnOn(r, warning(reason.HistoryDropped, reason.Facts{}, message), sink, occasionOf(r))
	}
}

// notStored returns the number of records that a sink does not have because of an error.
func notStored(why error) int {
	var n *consult.NotStored
	if errors.As(why, &n) {
		return n.Records
	}
	return 0
}

// sendLater sends records that nothing waits for.
func (a *archiver) sendLater(key cache.ObjectName, all []*pluginpb.Record) {
	a.sendWithin(outboxBytes, key, all)
}

// sendWithin sends records that nothing waits for, unless the outbox would exceed this size.
func (a *archiver) sendWithin(most int, key cache.ObjectName, all []*pluginpb.Record) {
	if len(all) == 0 {
		return
	}
	added, send := a.outbox.add(newLetter(key, all), most)
	if !added {
		a.drop(key, len(all), "too many records wait to be sent")
	}
	if send {
		a.underWay.Go(a.sendLetters)
	}
}

func (a *archiver) drop(key cache.ObjectName, number int, why string) {
	a.reporter.observer.HistoryDropped(number)
	a.log.Warn("history records dropped", "framework", key.String(), "records", number, "why", why)
}

// sendHappenings sends the Framework when it is stored for the first time and when its spec has changed since. It also sends the events
// that are not about attempts of Tasks, and the moments that are no events.
func (a *archiver) sendHappenings(r *record, before *lifecycle.State, events []lifecycle.Event, now time.Time) {
	if !a.panel.Archives() || r.status.saved == nil {
		return
	}
	var all []*pluginpb.Record
	of := a.of(r)
	if changed := r.archive.generation != 0 && r.archive.generation != of.Meta.Generation; before == nil || changed {
		all = append(all, historyrecords.Framework(of, r.status.saved)...)
	}
	r.archive.generation = of.Meta.Generation
	for i, e := range events {
		switch e.Reason {
		case reason.TaskRetried, reason.TaskRetryScheduled, reason.TaskFailed: // the records of attempts have the same facts
		default:
			all = append(all, historyrecords.Happening(of, r.status.saved.Framework().AttemptStatus.ID, r.stored.version, i, now, e.Reason, e.Facts))
		}
	}
	all = append(all, historyrecords.Moments(of, before, r.status.saved, r.stored.version, now)...)
	a.sendLater(r.key, all)
}

// sendUnwaited sends the attempt that a status write has dropped before a sink was known to store it, because a stop waits for no sink.
func (a *archiver) sendUnwaited(r *record, before *lifecycle.State) {
	if before == nil || !a.panel.Archives() || !hasEnded(before) || r.framework.Spec == nil {
		return
	}
	dropped := before.Framework().AttemptStatus.ID
	if archived := r.archive.done.Attempt; dropped == r.status.saved.Framework().AttemptStatus.ID || archived != nil && *archived == dropped {
		return
	}
	a.sendLater(r.key, historyrecords.Attempt(a.of(r), before, &r.archive))
}

// sendGone sends everything that is known about a Framework after its object is gone, and is not archived.
func (a *archiver) sendGone(r *record) {
	if !a.panel.Archives() || r.status.saved == nil || r.framework.Spec == nil {
		return
	}
	of, saved, all := a.of(r), r.status.saved, []*pluginpb.Record(nil)
	if archived := r.archive.done.Attempt; hasEnded(saved) && (archived == nil || *archived != saved.Framework().AttemptStatus.ID) {
		all = historyrecords.Attempt(of, saved, &r.archive)
	} else if !hasEnded(saved) {
		var refs []lifecycle.TaskRef
		for ref := range saved.Tasks {
			refs = append(refs, ref)
		}
		all = historyrecords.Tasks(of, saved, refs, &r.archive)
	}
	a.sendLater(r.key, append(all, historyrecords.Deleted(of, saved)...))
}
