package controller

import (
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// outbox collects records that nothing waits for. One call then sends the records of all Frameworks: a call costs more than the
// records in it, and many small Frameworks have few records each. The zero outbox is empty.
type outbox struct {
	mu      sync.Mutex
	letters []letter
	bytes   int  // size of these and of the letters in the call
	sending bool // a goroutine sends letters, and looks for further ones
}

// letter has records of one Framework.
type letter struct {
	key     cache.ObjectName
	records []*pluginpb.Record
	bytes   int
	since   time.Time
}

const (
	// callPause is the time between two calls, in which further letters gather. The first letter is sent at once. With 50 ms, a life
	// of 100 Frameworks of ten Tasks cost the controller 1.6 times the processor time of one without a history.
	callPause = time.Second
	// outboxBytes limits the encoded size of the records that wait or are under way. In memory, they take several times as much.
	// Further records are dropped, and counted.
	outboxBytes = 32 << 20
	// shadowBytes is the size of everything in the outbox beyond which verdicts in shadow are dropped, so that they leave room for the rest.
	shadowBytes = 8 << 20
	// keptAtMost is the time after which a letter is no longer sent again to a sink whose failure policy is Wait.
	keptAtMost = 10 * time.Minute
)

func newLetter(key cache.ObjectName, records []*pluginpb.Record) letter {
	l := letter{key: key, records: records, since: time.Now()}
	for _, r := range records {
		l.bytes += proto.Size(r)
	}
	return l
}

// add reports whether the outbox with the letter has at most this size, or the letter is the first, and whether the caller has to call
// sendLetters, because no goroutine sends letters.
func (o *outbox) add(l letter, most int) (added, send bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bytes > 0 && o.bytes+l.bytes > most {
		return false, false
	}
	o.letters = append(o.letters, l)
	o.bytes += l.bytes
	send = !o.sending
	o.sending = true
	return true, send
}

// take returns all letters. If there are none, the caller stops sending.
func (o *outbox) take() []letter {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.letters
	o.letters = nil
	o.sending = len(taken) > 0
	return taken
}

// keep puts letters that were taken back.
func (o *outbox) keep(letters []letter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.letters = append(letters, o.letters...)
}

// settle makes room, as letters that were taken are stored or dropped.
func (o *outbox) settle(letters []letter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range letters {
		o.bytes -= l.bytes
	}
}

// sendLetters returns when there are no more letters.
func (a *archiver) sendLetters() {
	for letters := a.outbox.take(); len(letters) > 0; letters = a.outbox.take() {
		pause := callPause
		if waits := a.sendTogether(letters); waits {
			pause = askAgainAfter
		}
		select {
		case <-time.After(pause):
		case <-a.ctx.Done():
		}
	}
}

// sendTogether sends letters in one call, and each by itself if that fails: a letter with a fault must not cost the others. If a sink
// makes it wait, it keeps the rest and returns early. The letter that had to wait is the last one next time.
func (a *archiver) sendTogether(letters []letter) (waits bool) {
	rest := letters
	defer func() {
		a.outbox.settle(rest)
		if cause := recover(); cause != nil {
			_ = panicked(a.log, letters[0].key, cause)
		}
	}()
	if len(letters) > 1 {
		var all []*pluginpb.Record
		for _, l := range letters {
			all = append(all, l.records...)
		}
		if lost, err := a.send(all); err == nil && len(lost) == 0 {
			return false
		}
	}
	for len(rest) > 0 {
		l := rest[0]
		lost, err := a.send(l.records)
		if err != nil && a.ctx.Err() == nil && time.Since(l.since) < keptAtMost {
			a.outbox.keep(append(rest[1:len(rest):len(rest)], l))
			rest = nil
			return true
		}
		if err != nil {
			a.drop(l.key, len(l.records), err.Error())
		} else {
			for sink, why := range lost {
				a.drop(l.key, notStored(why), sink+": "+why.Error())
			}
		}
		a.outbox.settle(rest[:1])
		rest = rest[1:]
	}
	return false
}

// send returns the errors of the sinks that lack records. The error is a *Waiting if the failure policy of one is Wait.
func (a *archiver) send(all []*pluginpb.Record) (lost skippedPlugins, err error) {
	lost = skippedPlugins{}
	return lost, a.panel.Archive(a.ctx, all, lost.add)
}
