package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// plan is the life of one Framework as its user means it to be.
type plan struct {
	name  string
	spec  string // YAML or JSON
	begin time.Duration
	steps []step
	want  end
	// prone: others may delete its Pods and ConfigMaps, and a node under them, as such failures are retried without being counted.
	prone bool
	// squatted: before it is created, a Pod and a ConfigMap of somebody else have names that it needs, for this long.
	squatted time.Duration
	// left: the original has begun its life, before the first controller starts; nil if its user creates it.
	left *leftover
	// afterwards: it begins when the faults have ended.
	afterwards bool
}

// step is something that its user does.
type step struct {
	after time.Duration // since the step before
	patch string        // JSON merge patch; empty to delete the Framework instead, in the foreground
	again bool          // create it again, once it has gone
	list  string        // what is written to its list of items, instead of the above
	begun bool          // it is done only when the attempt has its items
}

// end is the end of a Framework without faults, with the changes that faults may make.
type end struct {
	gone bool
	code int32
	// How many of the Framework's retries count.
	accountable between
	unlimited   bool // any number of retries that do not count is right
	free        int  // uncounted retries, if nobody deletes anything
	roles       map[string]roleEnd
}

// roleEnd is how each Task of a role ends.
type roleEnd struct {
	tasks       int
	codes       []int32 // any of them is right
	accountable between // retries of each Task that count
	free        int     // maximum number of uncounted retries, beside retries for objects that others have deleted
}

// between includes both ends.
type between struct{ least, most int32 }

func exactly(n int32) between { return between{n, n} }

func (b between) has(n int32) bool { return b.least <= n && n <= b.most }

// planner makes plans from a seed.
type planner struct {
	random *rand.Rand
	// spread is the time over which Frameworks begin.
	spread time.Duration
	// name is the name of the Framework that is being planned, and previous the name of the one before.
	name, previous string
}

func newPlanner(seed uint64, spread time.Duration) *planner {
	return &planner{random: rand.New(rand.NewPCG(seed, 1)), spread: spread}
}

// plans returns n lives, each shape equally often.
func (p *planner) plans(n int) []plan {
	var out []plan
	for i := range n {
		shape := shapes[i%len(shapes)]
		p.previous, p.name = p.name, fmt.Sprintf("%s%d", shape.name, i)
		one := shape.make(p)
		one.name = p.name
		one.begin = time.Duration(p.random.Int64N(int64(p.spread)))
		if one.prone {
			one = one.tolerant()
		}
		out = append(out, one)
	}
	return out
}

// from returns a number in least..most.
func (p *planner) from(least, most int) int { return least + p.random.IntN(most-least+1) }

// moments is a time to wait between two steps.
func (p *planner) moments() time.Duration {
	return time.Duration(p.from(200, 3000)) * time.Millisecond
}
