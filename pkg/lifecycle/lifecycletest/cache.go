package lifecycletest

// cache is the controller's view of the objects: one informer per kind, each of which follows the history at its own pace.
type cache struct {
	objects map[name]*object
	seen    [kinds]int
}

// newCache lists the objects as they were after the given numbers of changes: a list, too, may come from a lagging cache. Objects
// deleted before are unknown.
func newCache(s *server, seen [kinds]int) *cache {
	c := &cache{objects: map[name]*object{}}
	for k := range kinds {
		for c.seen[k] < seen[k] {
			c.deliver(s, k)
		}
	}
	return c
}

// deliver processes the next change of the kind, if there is one.
func (c *cache) deliver(s *server, k kind) (change, bool) {
	if c.seen[k] == len(s.history[k]) {
		return change{}, false
	}
	next := s.history[k][c.seen[k]]
	c.seen[k]++
	if next.is != nil {
		c.objects[next.is.name] = next.is
	} else {
		delete(c.objects, next.was.name)
	}
	return next, true
}
