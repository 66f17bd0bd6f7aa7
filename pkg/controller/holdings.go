package controller

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/tools/cache"
)

// MemoryLimits bound what the Frameworks of one author make this process hold between rounds, in bytes as estimated by
// holdings. 0 means no bound.
type MemoryLimits struct {
	// Framework bounds each Framework, with its Pods.
	Framework int64
	// Namespace bounds all of one namespace together.
	Namespace int64
}

// holdings estimate what is held for each Framework and each namespace, and tell what is beyond its bound. A manifest of
// some hundred bytes may stand for twenty thousand Tasks, so the number and the size of objects bound nothing.
//
// They count and do not act: a Framework that would pass a bound is left out (leave_out.go), and of Pods beyond a bound only
// the trimmed form is kept (trim.go). One that was taken in gets all of its Pods: half a gang would hold its nodes for
// nothing. The zero value has no bounds.
type holdings struct {
	limits MemoryLimits

	mu         sync.Mutex
	frameworks map[cache.ObjectName]holding
	namespaces map[string]int64 // the sums of what is in frameworks
}

// holding is what one Framework makes this process hold, in bytes.
type holding struct {
	own  int64 // spec, status, and what is made of them
	pods int64 // as cached now
	// expected is what the Pods of all its Tasks take. They count before they exist: of two Frameworks that together pass a
	// bound, one is to get all of its Pods.
	expected int64
}

func (h holding) sum() int64 { return h.own + max(h.pods, h.expected) }

// beyondBound says which bound is reached. It has no number that changes, as it ends up in a condition.
type beyondBound struct {
	whose string
	key   string // of the configuration
	most  int64
}

func (e *beyondBound) Error() string {
	return fmt.Sprintf("%s may make the controller hold %s in memory, and it would be more (%s in the configuration)",
		e.whose, resource.NewQuantity(e.most, resource.BinarySI), e.key)
}

// admit enters what a Framework itself makes this process hold and what its Pods will, in the place of what was entered
// before, unless it grows beyond a bound by that. It then changes nothing, and says which bound.
func (h *holdings) admit(key cache.ObjectName, own, expected int64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := holding{own: own, pods: h.frameworks[key].pods, expected: expected}
	if err := h.outgrown(key, now); err != nil {
		return err
	}
	h.enter(key, now)
	return nil
}

// fits reports whether admit would admit it.
func (h *holdings) fits(key cache.ObjectName, own, expected int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.outgrown(key, holding{own: own, pods: h.frameworks[key].pods, expected: expected}) == nil
}

// set enters what a Framework itself makes this process hold, beyond a bound or not. Its Pods stay as they are.
func (h *holdings) set(key cache.ObjectName, own, expected int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.enter(key, holding{own: own, pods: h.frameworks[key].pods, expected: expected})
}

// addPods enters by how much the cached Pods of a Framework have grown; negative if they have shrunk.
func (h *holdings) addPods(key cache.ObjectName, grown int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.frameworks[key]
	now.pods += grown
	h.enter(key, now)
}

// full says which bound a Framework or its namespace has passed; nil if none.
func (h *holdings) full(key cache.ObjectName) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.beyond(key, h.frameworks[key].sum(), h.namespaces[key.Namespace])
}

func (h *holdings) enter(key cache.ObjectName, now holding) {
	if h.frameworks == nil {
		h.frameworks, h.namespaces = map[cache.ObjectName]holding{}, map[string]int64{}
	}
	h.namespaces[key.Namespace] += now.sum() - h.frameworks[key].sum()
	if h.frameworks[key] = now; now == (holding{}) {
		delete(h.frameworks, key)
	}
	if h.namespaces[key.Namespace] == 0 {
		delete(h.namespaces, key.Namespace)
	}
}

// slack is by how much a Framework may grow beyond a bound at a time: one that is changed back has a record of that.
const slack = 32 << 10

func (h *holdings) outgrown(key cache.ObjectName, now holding) error {
	before := h.frameworks[key].sum()
	if before > 0 && now.sum() <= before+slack {
		return nil
	}
	return h.beyond(key, now.sum(), h.namespaces[key.Namespace]+now.sum()-before)
}

func (h *holdings) beyond(key cache.ObjectName, framework, namespace int64) error {
	if most := h.limits.Framework; most > 0 && framework > most {
		return &beyondBound{"the Framework", "frameworkMemoryLimit", most}
	}
	if most := h.limits.Namespace; most > 0 && namespace > most {
		return &beyondBound{"namespace " + key.Namespace, "namespaceMemoryLimit", most}
	}
	return nil
}
