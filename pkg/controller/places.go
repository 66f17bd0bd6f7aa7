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

// open reports whether one more job of the owner may begin.
func (p *places) open(owner cache.ObjectName) bool {
	return p.mostOfNamespace == 0 || p.ofOwner[owner] < p.mostOfOwner && p.ofNamespace[owner.Namespace] < p.mostOfNamespace
}

func (p *places) take(owner cache.ObjectName) {
	p.ofOwner[owner]++
	p.ofNamespace[owner.Namespace]++
}

// leave is for a job that has ended.
func (p *places) leave(owner cache.ObjectName) {
	drop(p.ofOwner, owner)
	drop(p.ofNamespace, owner.Namespace)
}

func drop[K comparable](counts map[K]int, of K) {
	if counts[of]--; counts[of] == 0 {
		delete(counts, of)
	}
}
