package flowcontrol

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/tools/cache"
)

// MemoryLimits bound what the Frameworks of one author make this process hold between rounds. They are in bytes, as
// estimated by those who enter them. 0 means no bound.
type MemoryLimits struct {
	// Framework bounds each Framework, with its Pods.
	Framework int64
	// Namespace bounds all of one namespace together.
	Namespace int64
}

// MemoryBudget counts what is held for each Framework and each namespace, and tells what is beyond its bound. A manifest of
// some hundred bytes may stand for twenty thousand Tasks, so the number and the size of objects bound nothing.
//
// It counts and does not act: a Framework that would pass a bound is to be left out, and of Pods beyond a bound less is to be
// kept. One that was admitted gets all of its Pods: half a gang would hold its nodes for nothing. The zero value has no bounds.
type MemoryBudget struct {
	limits MemoryLimits

	mu         sync.Mutex
	frameworks map[cache.ObjectName]share
	namespaces map[string]int64 // the sums of what is in frameworks
}

// NewMemoryBudget returns a budget of which nothing is taken.
func NewMemoryBudget(l MemoryLimits) *MemoryBudget { return &MemoryBudget{limits: l} }

// share is what one Framework makes this process hold, in bytes.
type share struct {
	own     int64 // spec, status, and what is made of them
	objects int64 // cached objects beside Pods that belong to it, or claim to
	pods    int64 // as cached now
	// expected is what the Pods of all its Tasks take. They count before they exist: of two Frameworks that together pass a
	// bound, one is to get all of its Pods.
	expected int64
}

func (s share) sum() int64 { return s.own + s.objects + max(s.pods, s.expected) }

// with returns the share after the Framework itself has changed.
func (s share) with(own, expected int64) share {
	s.own, s.expected = own, expected
	return s
}

// exceededError says which bound is passed. It has no number that changes, as it ends up in a condition.
type exceededError struct {
	whose string
	key   string // of the configuration
	most  int64
}

func (e *exceededError) Error() string {
	return fmt.Sprintf("%s may make the controller hold %s in memory, and it would be more (%s in the configuration)",
		e.whose, resource.NewQuantity(e.most, resource.BinarySI), e.key)
}

// Admit enters what a Framework itself makes this process hold, and what its Pods will. It takes the place of what was
// entered before. If it grows beyond a bound by that, Admit changes nothing, and says which bound.
func (b *MemoryBudget) Admit(key cache.ObjectName, own, expected int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.frameworks[key].with(own, expected)
	if err := b.outgrown(key, now); err != nil {
		return err
	}
	b.enter(key, now)
	return nil
}

// Fits reports whether Admit would admit it.
func (b *MemoryBudget) Fits(key cache.ObjectName, own, expected int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.outgrown(key, b.frameworks[key].with(own, expected)) == nil
}

// Set enters what a Framework itself makes this process hold, beyond a bound or not. What is cached for it stays as it is.
func (b *MemoryBudget) Set(key cache.ObjectName, own, expected int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.enter(key, b.frameworks[key].with(own, expected))
}

// AddPods enters by how much the cached Pods of a Framework have grown; negative if they have shrunk.
func (b *MemoryBudget) AddPods(key cache.ObjectName, grown int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.frameworks[key]
	now.pods += grown
	b.enter(key, now)
}

// AddObjects enters by how much the other cached objects of a Framework have grown; negative if they have shrunk. The Framework
// need not exist: anybody can label an object with any name.
func (b *MemoryBudget) AddObjects(key cache.ObjectName, grown int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.frameworks[key]
	now.objects += grown
	b.enter(key, now)
}

// Exceeded says which bound a Framework or its namespace has passed; nil if none.
func (b *MemoryBudget) Exceeded(key cache.ObjectName) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.beyond(key, b.frameworks[key].sum(), b.namespaces[key.Namespace])
}

func (b *MemoryBudget) enter(key cache.ObjectName, now share) {
	if b.frameworks == nil {
		b.frameworks, b.namespaces = map[cache.ObjectName]share{}, map[string]int64{}
	}
	b.namespaces[key.Namespace] += now.sum() - b.frameworks[key].sum()
	if b.frameworks[key] = now; now == (share{}) {
		delete(b.frameworks, key)
	}
	if b.namespaces[key.Namespace] == 0 {
		delete(b.namespaces, key.Namespace)
	}
}

// growthSlack is by how much a Framework may grow beyond a bound at a time: one that is changed back has a record of that.
const growthSlack = 32 << 10

func (b *MemoryBudget) outgrown(key cache.ObjectName, now share) error {
	before := b.frameworks[key].sum()
	if before > 0 && now.sum() <= before+growthSlack {
		return nil
	}
	return b.beyond(key, now.sum(), b.namespaces[key.Namespace]+now.sum()-before)
}

func (b *MemoryBudget) beyond(key cache.ObjectName, framework, namespace int64) error {
	if most := b.limits.Framework; most > 0 && framework > most {
		return &exceededError{"the Framework", "frameworkMemoryLimit", most}
	}
	if most := b.limits.Namespace; most > 0 && namespace > most {
		return &exceededError{"namespace " + key.Namespace, "namespaceMemoryLimit", most}
	}
	return nil
}
