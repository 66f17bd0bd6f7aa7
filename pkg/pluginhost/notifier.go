package pluginhost

import (
	"slices"
	"sync"
)

// notifier reports changes of health to one function, one after the other, and never delays their cause.
type notifier struct {
	call func(Health)
	look func(name string) Health
	done chan struct{}

	mu      sync.Mutex
	changed []string
	awake   chan struct{} // has room for one
	stopped bool
}

func newNotifier(call func(Health), look func(string) Health) *notifier {
	n := &notifier{call: call, look: look, done: make(chan struct{}), awake: make(chan struct{}, 1)}
	if call == nil {
		n.stopped = true
		close(n.done)
		return n
	}
	go n.run()
	return n
}

func (n *notifier) add(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopped {
		return
	}
	if slices.Contains(n.changed, name) {
		return
	}
	n.changed = append(n.changed, name)
	n.wake()
}

func (n *notifier) wake() {
	select {
	case n.awake <- struct{}{}:
	default:
	}
}

func (n *notifier) run() {
	defer close(n.done)
	for range n.awake {
		names, stopped := n.drain()
		for _, name := range names {
			n.call(n.look(name))
		}
		if stopped {
			return
		}
	}
}

func (n *notifier) drain() ([]string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	names := n.changed
	n.changed = nil
	return names, n.stopped
}

// stop reports the remaining changes and then returns.
func (n *notifier) stop() {
	n.mu.Lock()
	n.stopped = true
	n.wake()
	n.mu.Unlock()
	<-n.done
}
