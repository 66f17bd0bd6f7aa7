package pluginhost

// maxNamespaceCalls is how many calls of one namespace are under way at most. So one that gets no answers leaves room
// for others.
const maxNamespaceCalls = maxCalls - 2

// namespaceLimits let so many calls of each namespace go at a time. They are guarded by the lock of the slot.
type namespaceLimits map[string]*namespaceLimit

// namespaceLimit is of one namespace. Each call under way has an entry in calls.
type namespaceLimit struct {
	calls chan struct{}
	users int // that have a call under way, or wait for one
}

// join returns the limit of a namespace, which is to be left afterwards.
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
