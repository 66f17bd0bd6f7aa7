package pluginhost

// maxNamespaceCalls is the maximum number of concurrent calls of one namespace. A namespace that gets no answers thus
// leaves capacity for others.
const maxNamespaceCalls = maxCalls - 2

// namespaceLimits limit the concurrent calls of each namespace. They are guarded by the lock of the slot.
type namespaceLimits map[string]*namespaceLimit

// namespaceLimit is the limit of one namespace. Each call under way has an entry in calls.
type namespaceLimit struct {
	calls chan struct{}
	users int // number of callers with a call under way or waiting
}

// join returns the limit of a namespace; the caller must leave it afterwards.
func (l namespaceLimits) join(namespace string) *namespaceLimit {
	if l[namespace] == nil {
		l[namespace] = &namespaceLimit{calls: make(chan struct{}, maxNamespaceCalls)}
	}
	l[namespace].users++
	return l[namespace]
}

func (l namespaceLimits) release(namespace string) {
	if l[namespace].users--; l[namespace].users == 0 {
		delete(l, namespace)
	}
}
