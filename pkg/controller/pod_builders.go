package controller

import (
	"container/list"
	"fmt"
	"math"
	"strings"
	"sync"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	taskmemory "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/memory"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// podBuilders build the Pods of a Framework's roles: the template, with the hints laid over it, and the nodes to avoid.
type podBuilders struct {
	hints *v1.SchedulerHints
	avoid []v1.AvoidedNode
	roles map[string]*roleBuilders
	err   error // why the stored hints are invalid
	cache builderCache
}

// roleBuilders build the Pods of a role: with one builder for all of them, unless patches are for some Tasks only.
type roleBuilders struct {
	name     string
	last     int32 // index of the last Task that has patches of its own; later ones, of a role with parallelism, have the same patches
	template v1.PodTemplate
	with     objects.Additions
	onOOM    *v1.OnOOMSpec
	layers   [][]*pluginpb.PodPatch // in each layer, the first patch that fits a Task is laid over its Pod
	made     map[string]*roleBuilder
}

// roleBuilder builds the Pods of the Tasks of a role that share the same patches and the same memory.
type roleBuilder struct {
	role    *roleBuilders
	patches []*pluginpb.PodPatch
	memory  []v1.ContainerMemory
	cost    int // of a Pod without an item, in bytes; 0 if not known yet
	cache   *builderCache
}

// newPodBuilders prepares all roles. If roles have the same name, the first counts.
func newPodBuilders(spec *v1.FrameworkSpec, hints *v1.SchedulerHints, avoid []v1.AvoidedNode, byHostname bool) *podBuilders {
	out := &podBuilders{hints: hints, avoid: avoid, roles: make(map[string]*roleBuilders, len(spec.TaskRoles))}
	stored, err := consult.DecodeHints(hints)
	if err != nil {
		out.err = err
		return out
	}
	layers, err := stored.Patches()
	if err != nil {
		out.err = err
		return out
	}
	with := objects.Additions{Network: objects.NetworkOf(spec)}
	if spec.SSH != nil {
		with.KeysAt = spec.SSH.MountPath
	}
	out.cache.most = patchedBytes
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if out.roles[role.Name] == nil {
			with.Avoided, with.CompletionContainers = objects.NodesAvoidedBy(role.Name, avoid), role.Task.CompletionContainers
			with.Avoided.ByHostname = byHostname
			with.Volumes = objects.VolumesOf(spec, role.Name)
			made := &roleBuilders{name: role.Name, last: lastHinted(role), template: role.Task.Pod, with: with, onOOM: role.Task.RetryPolicy.OnOOM,
				layers: patchesFor(role.Name, layers), made: map[string]*roleBuilder{}}
			out.roles[role.Name] = made
			out.cache.most += made.bytes()
		}
	}
	return out
}

// lastHinted returns the index of the last Task for which plugins give hints. They are asked about as many Tasks as may run at once, and
// Tasks that begin later take the places of these.
func lastHinted(role *v1.TaskRoleSpec) int32 {
	if role.Parallelism == nil {
		return math.MaxInt32
	}
	return max(*role.Parallelism, 1) - 1
}

func patchesFor(role string, layers [][]*pluginpb.PodPatch) [][]*pluginpb.PodPatch {
	out := make([][]*pluginpb.PodPatch, len(layers))
	for i, layer := range layers {
		for _, p := range layer {
			if p.GetTaskRole() == role {
				out[i] = append(out[i], p)
			}
		}
	}
	return out
}

// of returns the builder of a Task's Pod with the memory that it learned; nil if the spec has no such role.
func (b *podBuilders) of(ref lifecycle.TaskRef, learned []v1.ContainerMemory) *roleBuilder {
	role := b.roles[ref.Role]
	if role == nil {
		return nil
	}
	var patches []*pluginpb.PodPatch
	var chosen strings.Builder
	for _, layer := range role.layers {
		i := firstFor(min(ref.Index, role.last), layer)
		fmt.Fprintf(&chosen, "%d,", i)
		if i >= 0 {
			patches = append(patches, layer[i])
		}
	}
	learned = taskmemory.Within(learned, role.onOOM)
	for _, m := range learned {
		fmt.Fprintf(&chosen, "%s=%s/%s,", m.Container, m.Limit, m.Request)
	}
	if role.made[chosen.String()] == nil {
		role.made[chosen.String()] = &roleBuilder{role: role, patches: patches, memory: learned, cache: &b.cache}
	}
	return role.made[chosen.String()]
}

// firstFor returns the index of the first patch for a Task; -1 if there is none.
func firstFor(index int32, patches []*pluginpb.PodPatch) int {
	for i, p := range patches {
		if len(p.GetIndices()) == 0 {
			return i
		}
		for _, r := range p.GetIndices() {
			if r.GetFirst() <= index && index <= r.GetLast() {
				return i
			}
		}
	}
	return -1
}

// Build returns a Pod as JSON. It is safe for concurrent use.
func (b *roleBuilder) Build(t objects.Task) ([]byte, error) { return b.cache.get(b).Build(t) }

// costOf returns the size of the request for a Pod, in bytes. Items make Pods of different sizes.
func (b *roleBuilder) costOf(t objects.Task) int {
	if t.Item != nil {
		return b.cache.get(b).Cost(t)
	}
	if b.cost == 0 {
		b.cost = b.cache.get(b).Cost(t)
	}
	return b.cost
}

const (
	// builderBytes is the size of a builder, without its template.
	builderBytes = 4 << 10
	// patchedBytes limits the size of builders beyond one for each role.
	patchedBytes = 256 << 10
)

// bytes returns the size of a builder of the role.
func (r *roleBuilders) bytes() int { return len(r.template) + builderBytes }

// builderCache has the most recently used builders. Each holds a whole template, and hints may patch each Task differently.
// Pods are created in the order of their Tasks, so a dropped builder is seldom needed again; then it is rebuilt.
//
// Invariant: held is the size of the builders, and not above most.
type builderCache struct {
	mu         sync.Mutex
	recent     list.List // of *cachedBuilder, most recently used first
	by         map[*roleBuilder]*list.Element
	held, most int // bytes
}

type cachedBuilder struct {
	of *roleBuilder
	*objects.PodBuilder
}

func (c *builderCache) get(b *roleBuilder) *objects.PodBuilder {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.by[b]; e != nil {
		c.recent.MoveToFront(e)
		return e.Value.(*cachedBuilder).PodBuilder
	}
	for c.held += b.role.bytes(); c.held > c.most; {
		c.dropOldest()
	}
	with := b.role.with
	with.Memory = b.memory
	made := objects.NewPodBuilderWith(b.role.name, b.role.template, with, b.patches...)
	if c.by == nil {
		c.by = map[*roleBuilder]*list.Element{}
	}
	c.by[b] = c.recent.PushFront(&cachedBuilder{b, made})
	return made
}

func (c *builderCache) dropOldest() {
	oldest := c.recent.Remove(c.recent.Back()).(*cachedBuilder)
	delete(c.by, oldest.of)
	c.held -= oldest.of.role.bytes()
}
