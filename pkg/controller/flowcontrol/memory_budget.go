package flowcontrol

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/tools/cache"
)

// MemoryLimits limit the memory that the Frameworks of one author take in this process between rounds. They are in bytes, as
// estimated by the callers. 0 means no limit.
type MemoryLimits struct {
	// Framework limits each Framework, with its Pods.
	Framework int64
	// Namespace limits all Frameworks of one namespace together.
	Namespace int64
}

// MemoryBudget tracks the memory of each Framework and each namespace, and reports exceeded limits. A manifest of some hundred
// bytes may stand for twenty thousand Tasks, so limits on the number and the size of objects are not enough.
//
// It counts but does not act: its callers leave out a Framework that would exceed a limit, and keep less of Pods beyond a
// limit. An admitted Framework gets all of its Pods: half a gang would hold its nodes for nothing. The zero value has no
// limits.
type MemoryBudget struct {
	limits MemoryLimits

	mu         sync.Mutex
	frameworks map[cache.ObjectName]share
	namespaces map[string]int64 // sums of the values in frameworks
}

// NewMemoryBudget returns an empty budget with these limits.
func NewMemoryBudget(l MemoryLimits) *MemoryBudget { return &MemoryBudget{limits: l} }

// share is the memory of one Framework, in bytes.
type share struct {
	own     int64 // spec, status, and derived data
	objects int64 // cached objects other than Pods that belong to it, or claim to
	pods    int64 // as currently cached
	// expected is the memory of the Pods of all its Tasks. They count before they exist: if two Frameworks together exceed a
	// limit, one of them should get all of its Pods.
	expected int64
}

func (s share) sum() int64 { return s.own + s.objects + max(s.pods, s.expected) }

// with returns the share after the Framework itself has changed.
func (s share) with(own, expected int64) share {
	s.own, s.expected = own, expected
	return s
}

// exceededError names the exceeded limit. It has no number that changes, as it ends up in a condition.
type exceededError struct {
	whose string
	key   string // the limit's key in the configuration
	most  int64
}

func (e *exceededError) Error() string {
	return fmt.Sprintf("%s may make the controller hold %s in memory, and it would be more (%s in the configuration)",
		e.whose, resource.NewQuantity(e.most, resource.BinarySI), e.key)
}

// Admit records the memory of a Framework itself, and the expected memory of its Pods, replacing earlier values. If that would
// exceed a limit because of growth, Admit changes nothing, and names the limit.
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

// Set records the memory of a Framework itself, even beyond a limit. The values of its cached objects stay as they are.
func (b *MemoryBudget) Set(key cache.ObjectName, own, expected int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.enter(key, b.frameworks[key].with(own, expected))
}

// AddPods records the growth of a Framework's cached Pods; negative if they have shrunk.
func (b *MemoryBudget) AddPods(key cache.ObjectName, grown int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.frameworks[key]
	now.pods += grown
	b.enter(key, now)
}

// AddObjects records the growth of the other cached objects of a Framework; negative if they have shrunk. The Framework need
// not exist: anybody can label an object with any name.
func (b *MemoryBudget) AddObjects(key cache.ObjectName, grown int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.frameworks[key]
	now.objects += grown
	b.enter(key, now)
}

// Exceeded returns an error that names the limit that a Framework or its namespace exceeds; nil if none.
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

// growthSlack is how much a Framework may grow beyond a limit at a time: undoing a change can leave some growth behind.
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
