package pluginhost

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// Options are the inputs of a Host. The zero value works and logs nothing.
type Options struct {
	Log hclog.Logger
	// Directory of bare commands. Empty means plugins/ beside the program itself.
	Directory string
	// Called with the newest state after the health of a plugin has changed, also when it was removed. Changes in quick
	// succession may be reported as one. Never called concurrently; it may block, and may call the host except Stop.
	OnChange func(h Health)
	// Called after each call to a plugin, possibly several at the same time. It should not block.
	OnCall func(c Call)
	// Called when a plugin of SchedulerHints reports that it may have a new answer about a Framework; possibly several
	// times concurrently. It should not block. May be nil.
	OnHintsChanged func(namespace, name string)
}

// Call is a completed call to a plugin.
type Call struct {
	Plugin string
	Kind   plugin.Kind
	// Such as Classify.
	Method   string
	Duration time.Duration
	// Number of questions in the call; 1 except for Classify.
	Questions int
	// Nil after an answer.
	Fault *Fault
}

// Host runs plugins and asks them. All methods may be called at the same time.
type Host struct {
	log       hclog.Logger
	directory string
	onCall    func(Call)
	timing    timing

	onHintsChanged func(namespace, name string)
	notifier       *notifier

	// Held during a change of the configuration.
	reloading sync.Mutex

	mu      sync.Mutex
	stopped bool
	order   []string
	slots   map[string]*slot
	retired []*slot // removed, but possibly still ending
}

// New returns a host without plugins. The caller must call Stop in the end.
func New(o Options) *Host {
	return newHost(o, defaultTiming)
}

func newHost(o Options, t timing) *Host {
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	if o.Directory == "" {
		o.Directory = pluginDirectory()
	}
	if o.OnCall == nil {
		o.OnCall = func(Call) {}
	}
	h := &Host{log: o.Log, directory: o.Directory, onCall: o.OnCall, onHintsChanged: o.OnHintsChanged, timing: t, slots: map[string]*slot{}}
	h.notifier = newNotifier(o.OnChange, h.healthOf)
	return h
}

// Reload makes the host run exactly these plugins, which must be valid. It starts them in the background.
//
// A plugin gets a new process if its configuration, or one of its files, has changed; the old process answers until the
// new one has described itself, and ends after its calls under way. If the new one does not get that far, the old one
// continues, and Health shows why. Unchanged plugins are not affected. A new timeout, memoryLimit, failurePolicy or
// frameworkParameters takes effect at once.
func (h *Host) Reload(configs []Config) {
	h.reloading.Lock()
	defer h.reloading.Unlock()
	var order []string
	for _, c := range configs {
		order = append(order, c.Name)
		h.put(c)
	}
	for _, s := range h.except(order) {
		s.remove()
		h.notify(s.name)
	}
}

// put starts a plugin, or changes the one with that name.
func (h *Host) put(c Config) {
	h.mu.Lock()
	s, known := h.slots[c.Name]
	switch {
	case h.stopped:
		h.mu.Unlock()
		return
	case known && s.kind == c.Kind:
		h.mu.Unlock()
		s.reload(c)
		return
	}
	h.slots[c.Name] = newSlot(h, c)
	if known {
		h.retired = append(h.retired, s)
	}
	h.mu.Unlock()
	if known {
		s.remove()
	}
	h.notify(c.Name)
}

// except sets the order of plugins, and removes plugins that are not in it.
func (h *Host) except(order []string) []*slot {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.order = order
	var out []*slot
	for name, s := range h.slots {
		if !slices.Contains(order, name) {
			out = append(out, s)
			delete(h.slots, name)
		}
	}
	h.retired = append(slices.DeleteFunc(h.retired, (*slot).ended), out...)
	return out
}

// Stop ends all plugins and returns when all their processes are gone. Questions under way end with a Fault. Afterwards the host has no
// plugins, and Reload starts none.
func (h *Host) Stop() {
	h.reloading.Lock()
	defer h.reloading.Unlock()
	h.mu.Lock()
	h.stopped = true
	all := h.retired
	for _, s := range h.slots {
		all = append(all, s)
	}
	h.slots, h.order, h.retired = map[string]*slot{}, nil, nil
	h.mu.Unlock()
	for _, s := range all {
		s.kill()
	}
	for _, s := range all {
		s.wait()
	}
	h.notifier.stop()
}

// Config returns the configuration of the plugin with that name: the newest one, which may not have taken over yet.
func (h *Host) Config(name string) (Config, bool) {
	s := h.slot(name)
	if s == nil {
		return Config{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		return s.next.config, true
	}
	return s.serving.config, true
}

// Plugins returns the names of the plugins of a kind, in the order of the configuration, which is their precedence.
func (h *Host) Plugins(kind plugin.Kind) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var names []string
	for _, name := range h.order {
		if s := h.slots[name]; s != nil && s.kind == kind {
			names = append(names, name)
		}
	}
	return names
}

// Health returns the state of the plugins, in the order of the configuration.
func (h *Host) Health() []Health {
	h.mu.Lock()
	var slots []*slot
	for _, name := range h.order {
		slots = append(slots, h.slots[name])
	}
	h.mu.Unlock()
	var all []Health
	for _, s := range slots {
		all = append(all, s.snapshot())
	}
	return all
}

// AwaitReady returns nil once the plugin is ready, and otherwise the reason: its last fault, or ctx's error. It does
// not wait for a plugin that refuses its parameters. For start-up, commands and tests; questions wait by themselves.
func (h *Host) AwaitReady(ctx context.Context, name string) error {
	s := h.slot(name)
	if s == nil {
		return Config{Name: name}.fault(NotConfigured, "is not configured")
	}
	for {
		s.mu.Lock()
		state, last, next, changed := s.stateLocked(), s.health.LastFault, s.next, s.changed
		s.mu.Unlock()
		switch {
		case state == Ready && next == nil:
			return nil
		case state == Refused && last != nil:
			return last
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if last != nil {
				return last
			}
			return ctx.Err()
		}
	}
}

func (h *Host) slot(name string) *slot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.slots[name]
}

func (h *Host) notify(name string) { h.notifier.add(name) }

func (h *Host) healthOf(name string) Health {
	if s := h.slot(name); s != nil {
		return s.snapshot()
	}
	return Health{Name: name, State: Removed}
}
