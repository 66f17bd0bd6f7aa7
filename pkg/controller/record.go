package controller

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

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
	ended atomic.Bool // the Framework is Completed, as of the last round
	memory
}

// memory is what is remembered of one Framework between rounds, each part with the type that looks after it. Nothing of
// it is needed after a restart.
type memory struct {
	uid       types.UID           // of the object that all of this is about; empty before the first round
	framework lifecycle.Framework // as last read
	leftOut   leftOut
	builders  *podBuilders // of the roles of the spec; nil if they are to be made anew

	stored     stored
	status     savedStatus
	schedule   schedule
	dependents dependents
	blockers   blockers
	reported   reported
	stand      *stand
	questions  questions
}

// reset begins the memory of another Framework of the same name.
func (c *Controller) reset(r *record, uid types.UID) {
	c.tellDeleted(r)
	c.census.forget(&r.reported.counted)
	c.holdings.set(r.key, 0, 0)
	pods, early := map[string]*facts{}, r.reported.early
	if r.uid == "" {
		maps.Copy(pods, r.dependents.pods) // news that came before the Framework was known
	}
	r.forget()
	r.memory = memory{
		uid:        uid,
		stored:     stored{unread: true},
		status:     savedStatus{encoder: statusjson.Encoder{Early: c.options.CompressEarly}},
		schedule:   schedule{full: true},
		dependents: dependents{pods: pods, stays: map[lifecycle.TaskRef]lifecycle.Stay{}},
		blockers:   newBlockers(),
		reported:   reported{warned: warned{}, early: early},
		stand:      &stand{},
		questions:  newQuestions(),
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
