package flowcontrol

import (
	"maps"
	"sync"
	"time"
)

// etcd keeps each version of an object until it is compacted. The API server does that every five minutes, for what was older than the
// last time. So versions of up to ten minutes are kept, and beyond its quota etcd takes no more writes from anybody.
const versionsKept = 10 * time.Minute

// largeWrite is the number of bytes from which a write counts: the writes of smaller statuses never wait.
const largeWrite = 64 << 10

// StorageBudget spreads the writes of large statuses over time, so that their versions fit into the quota of etcd. They may take three
// quarters of it: ten of 32 parts at once, and 13 evenly over ten minutes. The 24th part is for what namespaces write until they share the
// rate. Namespaces that would write more get equal shares.
//
// It counts but does not act: its callers let the next write of the same object wait. A nil budget has no limit.
type StorageBudget struct {
	free float64 // bytes
	rate float64 // bytes per second

	mu    sync.Mutex
	used  float64              // bytes of free
	at    time.Time            // of used
	until map[string]time.Time // by namespace: when its share of the rate has paid for its writes
}

// NewStorageBudget returns a budget for a quota of etcd in bytes; nil if the quota is 0, which means that there is no limit.
func NewStorageBudget(quota int64) *StorageBudget {
	if quota == 0 {
		return nil
	}
	return &StorageBudget{
		free:  float64(quota) * 10 / 32,
		rate:  float64(quota) * 13 / 32 / versionsKept.Seconds(),
		until: map[string]time.Time{},
	}
}

// Written records a write with its size in bytes, and returns when the same object may be written again: now, or later if the budget is used up.
func (b *StorageBudget) Written(namespace string, bytes int, now time.Time) time.Time {
	if b == nil || bytes < largeWrite {
		return now
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	paid := max(0, now.Sub(b.at).Seconds()) * b.rate // the clock may have been put back
	b.used, b.at = max(0, b.used-paid)+float64(bytes), now
	if b.used <= b.free {
		return now
	}
	maps.DeleteFunc(b.until, func(_ string, until time.Time) bool { return !now.Before(until) })
	begin, waits := b.until[namespace]
	if !waits {
		begin = now
		b.until[namespace] = now
	}
	share := b.rate / float64(len(b.until)) * b.free / b.used // less after writes that paid for a larger share
	b.until[namespace] = begin.Add(time.Duration(float64(bytes) / share * float64(time.Second)))
	return b.until[namespace]
}
