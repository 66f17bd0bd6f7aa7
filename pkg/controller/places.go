package controller

import (
	"time"

	"k8s.io/client-go/tools/cache"
)

const (
	// longestJob is when a job gives its place back before its end. Requests that take as long mostly hang in a webhook of
	// their namespace, and cost the API server little meanwhile.
	longestJob = 500 * time.Millisecond
	// lateJobs is how many jobs may do so at the same time, as a multiple of the places. The others keep theirs: it may be
	// the API server that is slow, which more requests would not make faster.
	lateJobs = 4
)

// bytesPerPlace is how large a request may be for one place. One that is larger takes more: so many large Pods of a
// namespace are held at the same time as fit into its places together, or one of any size.
const bytesPerPlace = 256 << 10

// places are how many jobs may be under way. What an owner or a namespace has under way counts until it ends, late or not.
type places struct {
	ofOwner     map[cache.ObjectName]int
	ofNamespace map[string]int
	late        int // jobs that have given their place back

	// The most of each. Before the limit is set no place is refused, and none given back.
	mostOfOwner, mostOfNamespace, mostLate int
}

func newPlaces() places {
	return places{ofOwner: map[cache.ObjectName]int{}, ofNamespace: map[string]int{}}
}

// limit is for so many places in all. One owner has most of them at most, so that others have some before its jobs are late,
// and one namespace has no more requests under way than there are places.
func (p *places) limit(all int) {
	p.mostOfOwner, p.mostOfNamespace, p.mostLate = max(all*3/4, 1), all, lateJobs*all
}

// fitting is how many places a request of so many bytes takes: no more than one owner may have.
func (p *places) fitting(bytes int) int {
	n := 1 + bytes/bytesPerPlace
	if p.mostOfOwner > 0 {
		n = min(n, p.mostOfOwner)
	}
	return n
}

// open reports whether a job of the owner that takes so many places may begin.
func (p *places) open(owner cache.ObjectName, n int) bool {
	return p.mostOfNamespace == 0 || p.ofOwner[owner]+n <= p.mostOfOwner && p.ofNamespace[owner.Namespace]+n <= p.mostOfNamespace
}

func (p *places) take(owner cache.ObjectName, n int) {
	p.ofOwner[owner] += n
	p.ofNamespace[owner.Namespace] += n
}

// leave is for a job that has ended, and had taken so many places.
func (p *places) leave(owner cache.ObjectName, n int) {
	drop(p.ofOwner, owner, n)
	drop(p.ofNamespace, owner.Namespace, n)
}

func drop[K comparable](counts map[K]int, of K, n int) {
	if counts[of] -= n; counts[of] == 0 {
		delete(counts, of)
	}
}
