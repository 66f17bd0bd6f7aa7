package pluginhost

// maxNamespaceCalls is how many calls of one namespace are under way at most, so that one that gets no answers leaves room
// for others.
const maxNamespaceCalls = maxCalls - 2

// lanes let so many questions of each namespace pass at a time. They are guarded by the lock of the slot.
type lanes map[string]*lane

type lane struct {
	passing chan struct{}
	users   int // that are passing, or want to
}

// join returns the lane of a namespace, which is to be left afterwards.
func (l lanes) join(namespace string) *lane {
	if l[namespace] == nil {
		l[namespace] = &lane{passing: make(chan struct{}, maxNamespaceCalls)}
	}
	l[namespace].users++
	return l[namespace]
}

func (l lanes) leave(namespace string) {
	if l[namespace].users--; l[namespace].users == 0 {
		delete(l, namespace)
	}
}
