package lifecycletest

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// server is the API server: the objects of one Framework, and the history of all changes to them, from which
// caches are fed.
type server struct {
	now     time.Time
	objects map[name]*object
	claims  map[lifecycle.ClaimRef]*claim
	// claimUIDs is how many claims were created.
	claimUIDs int
	history   [kinds][]change
	version   int
	uids      [kinds]int
	// late are requests whose sender has given up waiting, and which arrive later than it thinks.
	late []func()
	// crowded: no node has room for another Pod. held: somebody else's finalizer keeps ConfigMaps. blind: the garbage
	// collector does not see that the Pods of a Framework have gone.
	crowded, held, blind bool
	// nodes are the names of those that Pods may be put on; refusing are those that refuse each Pod.
	nodes, refusing []string
	// lists are the ConfigMaps with items, by name; none has a history, as nobody watches them.
	lists map[string]string
	// others are Frameworks beside this one.
	others others
	// stored is called with each status that is written.
	stored func(*object)
	// loaded is the status that was decoded last. Statuses are written once and read often.
	loaded struct {
		from []byte
		as   *lifecycle.State
	}
}

// name of an object. There is one Framework, one ConfigMap name, and one Pod name per Task.
type name struct {
	kind  kind
	ref   lifecycle.TaskRef  // of Pods
	claim lifecycle.ClaimRef // of claims
}

type kind int

const (
	frameworks kind = iota
	configMaps
	pods
	kinds // how many there are that caches have
	claims
)

var (
	theFramework = name{kind: frameworks}
	theConfigMap = name{kind: configMaps}
)

func podOf(ref lifecycle.TaskRef) name { return name{kind: pods, ref: ref} }

// listOf is the name under which the controller remembers what it knows of the items of a role.
func listOf(role string) name { return name{kind: configMaps, ref: lifecycle.TaskRef{Role: role}} }

// object is one version of an object; it is replaced, never changed. Of the three groups of fields at the end
// only that of its kind is used.
type object struct {
	name     name
	uid      types.UID
	version  int
	deleting bool
	// late: a request made it that nobody waited for any more.
	late bool

	framework frameworkFields
	configMap lifecycle.ConfigMap
	pod       podFields
}

type frameworkFields struct {
	generation int64
	spec       *v1.FrameworkSpec
	status     []byte // JSON, nil before the first
}

type podFields struct {
	lifecycle.Pod
	executing    bool // its containers run on a node
	initializing bool // an init container runs, and no other
	disruption   *completion.Disruption
	finalizer    string // of others; empty if there is none
	wasHeld      bool   // it was held at some time, which caches may show still
	avoided      objects.AvoidedNodes
	item         string // that it was made for
	claims       []lifecycle.ClaimRef
	memory       podMemory
}

// change is one entry of the history: what was and what is; nil is "not there".
type change struct{ was, is *object }

var (
	errNotFound = errors.New("not found")
	errExists   = errors.New("already exists")
	errConflict = errors.New("conflict")
	errOwner    = errors.New("owns Pods")
)

func newServer() *server {
	return &server{now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), objects: map[name]*object{}, lists: map[string]string{}, claims: map[lifecycle.ClaimRef]*claim{}, nodes: []string{"node1"}}
}

func (s *server) create(o object) (*object, error) {
	if s.objects[o.name] != nil {
		return nil, errExists
	}
	s.uids[o.name.kind]++
	o.uid = types.UID(fmt.Sprintf("%s-%d", [kinds]string{"framework", "configmap", "pod"}[o.name.kind], s.uids[o.name.kind]))
	return s.put(&o), nil
}

func (s *server) put(o *object) *object {
	s.version++
	o.version = s.version
	o.pod.wasHeld = o.pod.wasHeld || o.held()
	s.history[o.name.kind] = append(s.history[o.name.kind], change{s.objects[o.name], o})
	s.objects[o.name] = o
	return o
}

// update replaces an object by a changed copy.
func (s *server) update(n name, change func(*object)) *object {
	o := *s.objects[n]
	change(&o)
	return s.put(&o)
}

func (s *server) remove(n name) {
	s.version++
	s.history[n.kind] = append(s.history[n.kind], change{was: s.objects[n]})
	delete(s.objects, n)
}

// gracePeriod is how long Pods may take to terminate.
const gracePeriod = 30 * time.Second

// delete is the DELETE request, with a UID precondition. Finalizers and running containers delay the removal.
func (s *server) delete(n name, uid types.UID, force bool) error {
	o := s.objects[n]
	switch {
	case o == nil:
		return errNotFound
	case o.uid != uid:
		return errConflict
	case n.kind == pods && (force || o.pod.NodeName == "") && o.pod.finalizer == "":
		s.remove(n)
	case n.kind == configMaps && force && o.deleting:
		s.update(n, func(o *object) { o.configMap.AwaitsCollector = false })
	case !o.deleting:
		s.update(n, func(o *object) {
			o.deleting, o.pod.TerminationStart, o.configMap.TerminationStart = true, s.now, s.now
			o.pod.TerminationEnd = s.now.Add(gracePeriod)
		})
	}
	return nil
}

// writeStatus is the PUT of the status subresource, with a resourceVersion precondition.
func (s *server) writeStatus(decidedFrom *object, status []byte) (*object, error) {
	switch o := s.objects[theFramework]; {
	case o == nil:
		return nil, errNotFound
	case o.version != decidedFrom.version:
		return nil, errConflict
	}
	written := s.update(theFramework, func(o *object) { o.framework.status = status })
	s.stored(written)
	return written, nil
}

// held reports whether nothing but a finalizer keeps a Pod.
func (o *object) held() bool {
	return o.deleting && o.pod.finalizer != "" && !o.pod.executing && (o.pod.NodeName == "" || o.pod.Phase != lifecycle.PodPending)
}

// listed returns the objects of a kind that wanted accepts, in a fixed order.
func (s *server) listed(k kind, wanted func(*object) bool) []*object {
	var out []*object
	for _, o := range s.objects {
		if o.name.kind == k && wanted(o) {
			out = append(out, o)
		}
	}
	sortObjects(out)
	return out
}

// land lets the late requests arrive.
func (s *server) land() {
	requests := s.late
	s.late = nil
	for _, request := range requests {
		request()
	}
}
