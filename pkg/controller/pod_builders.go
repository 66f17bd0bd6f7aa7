package controller

import (
	"container/list"
	"fmt"
	"strings"
	"sync"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
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
	template v1.PodTemplate
	with     objects.Additions
	layers   [][]*pluginpb.PodPatch // in each layer, the first patch that fits a Task is laid over its Pod
	made     map[string]*roleBuilder
}

// roleBuilder builds the Pods of those Tasks of a role that get the same patches.
type roleBuilder struct {
	role    *roleBuilders
	patches []*pluginpb.PodPatch
	cost    int // of a Pod, in bytes; 0 if not known yet
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
			made := &roleBuilders{role.Name, role.Task.Pod, with, patchesFor(role.Name, layers), map[string]*roleBuilder{}}
			out.roles[role.Name] = made
			out.cache.most += made.bytes()
		}
	}
	return out
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

// of returns the builder of a Task's Pod; nil if the spec has no such role.
func (b *podBuilders) of(ref lifecycle.TaskRef) *roleBuilder {
	role := b.roles[ref.Role]
	if role == nil {
		return nil
	}
	var patches []*pluginpb.PodPatch
	var chosen strings.Builder
	for _, layer := range role.layers {
		i := firstFor(ref.Index, layer)
		fmt.Fprintf(&chosen, "%d,", i)
		if i >= 0 {
			patches = append(patches, layer[i])
		}
	}
	if role.made[chosen.String()] == nil {
		role.made[chosen.String()] = &roleBuilder{role: role, patches: patches, cache: &b.cache}
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

// costOf returns the size of the request for a Pod, in bytes.
func (b *roleBuilder) costOf(t objects.Task) int {
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
	made := objects.NewPodBuilderWith(b.role.name, b.role.template, b.role.with, b.patches...)
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
