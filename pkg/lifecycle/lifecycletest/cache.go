package lifecycletest

// cache is what the controller knows of the objects: one informer per kind, each of which follows the
// history at its own pace.
type cache struct {
	objects map[name]*object
	seen    [kinds]int
}

// newCache lists the objects as they were after so many changes: a list, too, may come from a lagging cache.
// What was deleted before is not known.
func newCache(s *server, seen [kinds]int) *cache {
	c := &cache{objects: map[name]*object{}}
	for k := range kinds {
		for c.seen[k] < seen[k] {
			c.deliver(s, k)
		}
	}
	return c
}

// deliver takes in the next change of that kind, if there is one.
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
