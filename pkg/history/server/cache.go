package server

import (
	"sync"
	"time"
)

// cache remembers answers of the API server for a while.
type cache[K comparable, V any] struct {
	mutex   sync.Mutex
	entries map[K]entry[V]
	now     func() time.Time
}

type entry[V any] struct {
	value V
	until time.Time
}

const (
	cacheTime = 30 * time.Second
	// The maximum number of entries, for all senders together.
	mostCached = 4096
)

func newCache[K comparable, V any]() *cache[K, V] {
	return &cache[K, V]{entries: map[K]entry[V]{}, now: time.Now}
}

// get returns the value of a key from the cache, or else from ask. Errors are not cached.
func (c *cache[K, V]) get(key K, ask func() (V, error)) (V, error) {
	c.mutex.Lock()
	e, ok := c.entries[key]
	fresh := ok && c.now().Before(e.until)
	c.mutex.Unlock()
	if fresh {
		return e.value, nil
	}
	value, err := ask()
	if err != nil {
		return value, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.makeRoom()
	c.entries[key] = entry[V]{value, c.now().Add(cacheTime)}
	return value, nil
}

// makeRoom drops expired entries if the cache is full, or else any entry.
func (c *cache[K, V]) makeRoom() {
	if len(c.entries) < mostCached {
		return
	}
	now := c.now()
	for key, e := range c.entries {
		if !now.Before(e.until) {
			delete(c.entries, key)
		}
	}
	for key := range c.entries {
		if len(c.entries) < mostCached {
			return
		}
		delete(c.entries, key)
	}
}
