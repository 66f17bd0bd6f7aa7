package controller

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// record is what this process has of one Framework: the news that come in at any time, and its memory, which
// belongs to the Framework's round.
type record struct {
	key   cache.ObjectName
	inbox inbox
	early []*cachedPod // Pods that went before the Framework was read, for the history
	ended atomic.Bool  // the Framework is Completed, as of the last round
	memory
}

// memory is what is remembered of one Framework between rounds. Nothing of it is needed after a restart.
type memory struct {
	uid       types.UID           // of the object that all of this is about; empty before the first round
	framework lifecycle.Framework // as last read
	meta      metav1.ObjectMeta   // of it, as last read
	spec      json.RawMessage     // of it, as last read; nil before
	rawStatus json.RawMessage     // of it, if it makes no sense
	deleted   *metav1.ObjectMeta  // of it, when its deletion was watched; nil before
	builders  *builders           // of the roles of the spec; nil if they are to be made anew

	saved   *lifecycle.State   // as last stored; nil if there is no status
	cutting statusjson.Cutting // of the messages of saved, when that was stored
	version string             // resourceVersion that saved was read with or stored as
	unread  bool               // the stored object must be read before anything else is done
	rewrite bool               // the stored status is not saved any more, and is to be replaced by it
	// doubtful are states that may be stored, or come to be stored, although their writing failed.
	doubtful  []doubtfulWrite
	confirmed bool  // the recorded ConfigMap was asked for before the first round
	parked    error // why the stored object is left alone; nil if it is not
	leftOut   leftOut
	room      int // bytes that the status may have, so that the object can be stored
	encoder   statusjson.Encoder

	self      facts // about the Framework's own deletion
	configMap facts
	pods      map[string]*facts   // by name
	obstacles map[string]obstacle // by the name of the object that the action is about
	inherited *inherited          // as stored by the process before; nil if none is, or this one knows better
	// troubled are the roles of which a Pod could not be created, and none could since, with when that was last.
	troubled map[string]time.Time
	warned   warned           // what its users have been told already
	told     map[dropped]bool // what the history has been told since a status was stored last

	// stays are the Pods that stay where they are, as observed last.
	stays map[lifecycle.TaskRef]lifecycle.Stay

	counted counted // in the census

	full      bool // the next round must look at every Task
	changed   map[lifecycle.TaskRef]struct{}
	failure   bool      // a Pod has failed since the last round
	over      bool      // the attempt's ConfigMap goes, or seems to have gone, since the last round
	wakeAt    time.Time // when the Framework wants a full round; zero if it does not
	retryAt   time.Time // when actions held back are to be asked for again; zero if there are none
	releaseAt time.Time // when the ConfigMap may be released again; zero if it may be
	heldSince time.Time // since when a status change waits for company; zero if none does
	// respiteUntil is when a status change that nothing depends on may be stored again; zero before the first status write.
	respiteUntil time.Time

	creations, others *gate
	stand             *stand
	questions
}

// facts are what is known about an object's name beside what the cache shows.
type facts struct {
	live            metav1.Object         // from an answer of the API server, and newer than the cache; nil if none is
	gone            types.UID             // see lifecycle.PodView
	left            metav1.Object         // that the watch shows no more, until it is known to be gone; nil if there is none
	disruption      *lifecycle.Disruption // of the last Pod that the watch shows no more; nil if nobody has said why
	doubted         metav1.Object         // that is asked for because no watch tells of it any more, until there is an answer; nil if none is
	deleteRequested types.UID
	asked           bool
	refusal         *lifecycle.Refusal
	refusals        refusals
	inFlight        bool // an action on it is under way
	creating        bool // and that is its creation
	// failedAt is when it was learnt that the last action on it that was sent has failed, for a reason that may pass; zero
	// if it has not.
	failedAt time.Time
	// mayAppear is until when the object may come into being, or be seen, although its creation failed; zero if it does
	// not.
	mayAppear time.Time
}

// lateEffect is how long a creation without an answer is given to take effect and to be seen.
const lateEffect = 5 * time.Second

// awaitPods reports whether Pods may still come into being that were asked for before. It sees to it that the
// question comes up again.
func (r *record) awaitPods(now time.Time) (awaits bool) {
	for _, f := range r.pods {
		if now.Before(f.mayAppear) {
			r.retryNotAfter(f.mayAppear)
			awaits = true
		}
		awaits = awaits || f.creating
	}
	return awaits
}

// reset begins the memory of another Framework of the same name.
func (c *Controller) reset(r *record, uid types.UID) {
	c.tellDeleted(r)
	c.census.forget(&r.counted)
	c.holdings.set(r.key, 0, 0)
	pods := map[string]*facts{}
	if r.uid == "" {
		maps.Copy(pods, r.pods) // news that came before the Framework was known
	}
	r.forget()
	r.memory = memory{
		uid:       uid,
		unread:    true,
		encoder:   statusjson.Encoder{Early: c.options.CompressEarly},
		pods:      pods,
		obstacles: map[string]obstacle{},
		troubled:  map[string]time.Time{},
		warned:    warned{},
		stays:     map[lifecycle.TaskRef]lifecycle.Stay{},
		full:      true,
		creations: &gate{},
		others:    &gate{},
		stand:     &stand{},
		questions: newQuestions(),
	}
}

// forget drops the memory, and what is still to be done for the Framework.
func (r *record) forget() {
	if r.stand != nil {
		r.stand.set(nil, false)
	}
	r.memory = memory{}
	r.ended.Store(false)
}

func (r *record) lookAtAll() {
	r.full, r.changed = true, nil
}

func (r *record) lookAt(ref lifecycle.TaskRef) {
	if r.full {
		return
	}
	if r.changed == nil {
		r.changed = map[lifecycle.TaskRef]struct{}{}
	}
	r.changed[ref] = struct{}{}
}

// pod returns the facts about a Pod's name, made if need be.
func (r *record) pod(name string) *facts {
	f := r.pods[name]
	if f == nil {
		f = &facts{}
		if r.pods == nil {
			r.pods = map[string]*facts{} // news of a Framework that is not known yet
		}
		r.pods[name] = f
	}
	return f
}

// unwatched reports whether the object exists without the label that the watch selects on: nobody tells of it.
func (f *facts) unwatched() bool {
	return f.live != nil && f.live.GetLabels()[v1.KeyFrameworkName] == ""
}

// askAgain has everything looked for anew that no watch tells of.
func (r *record) askAgain() {
	for _, f := range r.pods {
		f.doubt()
	}
	r.configMap.doubt()
}

func (f *facts) doubt() {
	if f.unwatched() {
		f.live, f.asked, f.doubted = nil, false, f.live
	}
}

func (r *record) podName(ref lifecycle.TaskRef) string {
	return v1.PodName(r.key.Name, ref.Role, ref.Index)
}

// records holds the record of every Framework that was ever heard of and not yet forgotten.
type records struct {
	mu    sync.Mutex
	byKey map[cache.ObjectName]*record
}

func (m *records) get(key cache.ObjectName) *record {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.byKey[key]
	if r == nil {
		r = &record{key: key}
		m.byKey[key] = r
	}
	return r
}

// unhurried reports whether the next round of a Framework may wait for those of others: it is the first, or the Framework
// has ended and only its time is to be looked at, and nothing else has happened.
func (m *records) unhurried(key cache.ObjectName) bool {
	m.mu.Lock()
	r := m.byKey[key]
	m.mu.Unlock()
	if r == nil {
		return false
	}
	anything, more := r.inbox.holds()
	return !more && (anything || r.ended.Load())
}

func (m *records) forget(key cache.ObjectName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.byKey, key)
}

// keys are those of all records, in no order.
func (m *records) keys() []cache.ObjectName {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.byKey))
}

func newRecords() records { return records{byKey: map[cache.ObjectName]*record{}} }
