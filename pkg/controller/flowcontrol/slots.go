package flowcontrol

import (
	"time"

	"k8s.io/client-go/tools/cache"
)

const (
	// handoffAfter is when a job hands its slot off before its end. Requests that take as long mostly hang in a webhook of
	// their namespace, and cost the API server little meanwhile.
	handoffAfter = 500 * time.Millisecond
	// handoffFactor is how many jobs may do so at the same time, as a multiple of the slots. The others keep theirs: it may be
	// the API server that is slow, which more requests would not make faster.
	handoffFactor = 4
)

// bytesPerSlot is how large a request may be for one slot. One that is larger takes more: so many large Pods of a
// namespace are held at the same time as fit into its slots together, or one of any size.
const bytesPerSlot = 256 << 10

// slots count the jobs under way, and bound them. What an owner or a namespace has under way counts until it ends, handed off or not.
type slots struct {
	ofOwner     map[cache.ObjectName]int
	ofNamespace map[string]int
	handedOff   int // jobs that have given their slot to another

	// The most of each. Before the limit is set no slot is refused, and none handed off.
	mostOfOwner, mostOfNamespace, mostHandedOff int
}

func newSlots() slots {
	return slots{ofOwner: map[cache.ObjectName]int{}, ofNamespace: map[string]int{}}
}

// limit is for so many slots in all. One owner has most of them at most, so that others have some before its
// jobs hand theirs off, and one namespace has no more requests under way than there are slots.
func (s *slots) limit(all int) {
	s.mostOfOwner, s.mostOfNamespace, s.mostHandedOff = max(all*3/4, 1), all, handoffFactor*all
}

// fitting is how many slots a request of so many bytes takes: no more than one owner may have.
func (s *slots) fitting(bytes int) int {
	n := 1 + bytes/bytesPerSlot
	if s.mostOfOwner > 0 {
		n = min(n, s.mostOfOwner)
	}
	return n
}

// fit reports whether a job of the owner that takes so many slots may begin.
func (s *slots) fit(owner cache.ObjectName, n int) bool {
	return s.mostOfNamespace == 0 || s.ofOwner[owner]+n <= s.mostOfOwner && s.ofNamespace[owner.Namespace]+n <= s.mostOfNamespace
}

func (s *slots) acquire(owner cache.ObjectName, n int) {
	s.ofOwner[owner] += n
	s.ofNamespace[owner.Namespace] += n
}

// release is for a job that has ended, and had acquired so many slots.
func (s *slots) release(owner cache.ObjectName, n int) {
	drop(s.ofOwner, owner, n)
	drop(s.ofNamespace, owner.Namespace, n)
}

func drop[K comparable](counts map[K]int, of K, n int) {
	if counts[of] -= n; counts[of] == 0 {
		delete(counts, of)
	}
}
