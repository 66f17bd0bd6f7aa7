package controller

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// record is what this process remembers of one Framework between rounds. All but the inbox and the gates
// belongs to the Framework's round; nothing of it is needed after a restart.
type record struct {
	key   cache.ObjectName
	inbox inbox

	uid       types.UID           // of the object that all of this is about; empty before the first round
	framework lifecycle.Framework // as last read
	builders  map[string]*objects.PodBuilder

	saved   *lifecycle.State // as last stored; nil if there is no status
	version string           // resourceVersion that saved was read with or stored as
	unread  bool             // the stored object must be read before anything else is done
	// doubtful is a state whose writing failed in a way that leaves open whether it is stored; nil if none is.
	doubtful *lifecycle.State
	rewrite  bool  // the stored status is not saved any more, and is to be replaced by it
	parked   error // why the stored status makes no sense; nil if it does

	self      facts // about the Framework's own deletion
	configMap facts
	pods      map[string]*facts   // by name
	obstacles map[string]obstacle // by the name of the object that the action is about
	warned    map[string]bool     // what its users have been told already

	full      bool // the next round must look at every Task
	changed   map[lifecycle.TaskRef]struct{}
	wakeAt    time.Time // when the Framework wants a full round; zero if it does not
	retryAt   time.Time // when actions held back are to be asked for again; zero if there are none
	heldSince time.Time // since when a status change waits for company; zero if none does

	creations, others gate
}

// facts are what is known about an object's name beside what the cache shows.
type facts struct {
	live            metav1.Object // from an answer of the API server, and newer than the cache; nil if none is
	gone            types.UID     // see lifecycle.PodView
	deleteRequested types.UID
	asked           bool
	refusal         *lifecycle.Refusal
	inFlight        bool // an action on it is under way
}

// reset forgets everything but the inbox: the name now belongs to another Framework.
func (r *record) reset(uid types.UID) {
	r.uid, r.framework, r.builders = uid, lifecycle.Framework{}, nil
	r.saved, r.version, r.unread, r.doubtful, r.rewrite, r.parked = nil, "", true, nil, false, nil
	r.self, r.configMap, r.pods, r.obstacles = facts{}, facts{}, map[string]*facts{}, map[string]obstacle{}
	r.warned = map[string]bool{}
	r.wakeAt, r.retryAt, r.heldSince = time.Time{}, time.Time{}, time.Time{}
	r.lookAtAll()
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
		r.pods[name] = f
	}
	return f
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

func (m *records) forget(key cache.ObjectName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.byKey, key)
}

func newRecords() records { return records{byKey: map[cache.ObjectName]*record{}} }
