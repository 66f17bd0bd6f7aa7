package flowcontrol

import (
	"time"

	"k8s.io/client-go/tools/cache"
)

const (
	// handoffAfter is when a job hands off its slot before its end. Requests that slow usually hang in a webhook of their
	// namespace, and cost the API server little.
	handoffAfter = 500 * time.Millisecond
	// handoffFactor limits the jobs that may do so at the same time, as a multiple of the slots. The others keep theirs: the API
	// server itself may be slow, and more requests would not make it faster.
	handoffFactor = 4
)

// bytesPerSlot is the size of a request per slot. A larger request takes more slots: this limits the large Pods of a namespace
// under way at the same time to those that fit into its slots, or to one of any size.
const bytesPerSlot = 256 << 10

// slots count and limit the jobs under way. A job counts for its owner and namespace until it ends, even if its slot was
// handed off.
type slots struct {
	ofOwner     map[cache.ObjectName]int
	ofNamespace map[string]int
	handedOff   int // jobs that have handed off their slot

	// The limits for each. Before they are set, no slot is refused, and none handed off.
	mostOfOwner, mostOfNamespace, mostHandedOff int
}

func newSlots() slots {
	return slots{ofOwner: map[cache.ObjectName]int{}, ofNamespace: map[string]int{}}
}

// limit sets the limits for a total number of slots. One owner gets at most most of them, so that others have some before its
// jobs hand theirs off, and one namespace has no more requests under way than there are slots.
func (s *slots) limit(all int) {
	s.mostOfOwner, s.mostOfNamespace, s.mostHandedOff = max(all*3/4, 1), all, handoffFactor*all
}

// fitting returns how many slots a request of this size takes: at most as many as one owner may have.
func (s *slots) fitting(bytes int) int {
	n := 1 + bytes/bytesPerSlot
	if s.mostOfOwner > 0 {
		n = min(n, s.mostOfOwner)
	}
	return n
}

// fit reports whether a job of the owner that takes n slots may begin.
func (s *slots) fit(owner cache.ObjectName, n int) bool {
	return s.mostOfNamespace == 0 || s.ofOwner[owner]+n <= s.mostOfOwner && s.ofNamespace[owner.Namespace]+n <= s.mostOfNamespace
}

func (s *slots) acquire(owner cache.ObjectName, n int) {
	s.ofOwner[owner] += n
	s.ofNamespace[owner.Namespace] += n
}

// release frees n slots of a job that has ended.
func (s *slots) release(owner cache.ObjectName, n int) {
	drop(s.ofOwner, owner, n)
	drop(s.ofNamespace, owner.Namespace, n)
}

func drop[K comparable](counts map[K]int, of K, n int) {
	if counts[of] -= n; counts[of] == 0 {
		delete(counts, of)
	}
}
