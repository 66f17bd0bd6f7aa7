package controller

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

var (
	crashSeed = flag.Int64("crash-seed", 0, "chooses the pairs of crashes; 0 takes another one each time")
	crashAll  = flag.Bool("crash-all", false, "crash at both sides of status writes, too")
)

// Every write of the controller in a story is a numbered point. Wherever it crashes, before or after a write takes effect, the
// next controller brings the story to the same end. The same holds if that controller crashes too, and if every controller
// crashes at the first write that changes anything.
//
// Each play is in a bubble, so no story waits for the machine. The test is not parallel to others: it keeps all processors busy.
func TestCrashPoints(t *testing.T) {
	seed := *crashSeed
	if seed == 0 {
		seed = time.Now().UnixNano()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // there is memory enough, and no time to spare
	c := newCoverage()
	t.Run("stories", func(t *testing.T) {
		for i, s := range stories() {
			random := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				crashEverywhere(t, s, c, random)
			})
		}
	})
	if c.stories == len(stories()) { // and no subset was selected
		c.require(t)
	}
	t.Logf("%s; seed %d", c.figures(), seed)
}

// pairs is the number of pairs of crashes tried for each story.
const pairs = 1

func crashEverywhere(t *testing.T, s story, c *coverage, random *rand.Rand) {
	t.Helper()
	var want string
	var writes []apitest.Request
	synctest.Test(t, func(t *testing.T) {
		original := perform(t, s, never, (*play).quiet)
		c.visit(original)
		want, writes = original.end(), original.lives[0]
	})
	try := func(name string, how plan, note func(*play)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := perform(t, s, how, func(p *play) bool { return p.end() == want })
				p.requireEnd(want)
				note(p)
			})
		})
	}
	for i, q := range writes {
		for _, f := range sides(s, i, q) {
			name := fmt.Sprintf("%s write %d, %s", f, i, q.String())
			try(name, at(crash{i, f}), func(p *play) { c.note(p, point{s.name, crash{i, f}}) })
		}
	}
	try("at every write", atEveryChange, c.noteLives)
	for range pairs {
		first := randomCrash(random, len(writes))
		second := randomCrash(random, len(writes)-first.write) // the remaining writes, and the CRD
		try(fmt.Sprintf("%s, and then %s", first, second), at(first, second), c.notePair)
	}
}

// crashEvery is the distance of the crash points, in writes: 1, unless there is little time.
func crashEvery() int {
	if testing.Short() || underRace {
		return 6
	}
	return 1
}

// sides returns the crashes to try at the i-th write. The state before a write is the state after the previous one, except for
// actions under way together. So that side of status writes is left out, to save time, unless all are wanted. Applying the CRD is
// the same in every story.
func sides(s story, i int, q apitest.Request) []fate {
	switch {
	case *crashAll:
	case i == 0 && s.name != simplest, i%crashEvery() != 0:
		return nil
	case q.Resource == apitest.Frameworks+"/status":
		return []fate{diesAfter}
	}
	return []fate{diesBefore, diesAfter}
}

// requireEnd compares the ends once more, when nothing can happen any longer.
func (p *play) requireEnd(want string) {
	p.t.Helper()
	if got := p.end(); got != want {
		p.t.Errorf("the end is\n%swithout a crash it is\n%s", got, want)
	}
}

func never(int, int, apitest.Request) fate { return livesOn }

// crash ends one life.
type crash struct {
	write int
	fate  fate
}

func (c crash) String() string { return fmt.Sprintf("%s write %d", c.fate, c.write) }

func (f fate) String() string {
	return [...]string{livesOn: "never", diesBefore: "before", diesAfter: "after", diesOnChange: "at every change"}[f]
}

func randomCrash(random *rand.Rand, writes int) crash {
	return crash{random.IntN(writes), []fate{diesBefore, diesAfter}[random.IntN(2)]}
}

// at crashes one life after the other, and lets the next one live on.
func at(crashes ...crash) plan {
	return func(life, n int, _ apitest.Request) fate {
		if life < len(crashes) && n == crashes[life].write {
			return crashes[life].fate
		}
		return livesOn
	}
}

// atEveryChange lets every life make one change, or the few under way together. Applying the CRD first does not count, or no life
// would get any further.
func atEveryChange(_, _ int, q apitest.Request) fate {
	if q.Resource == apitest.CRDs {
		return livesOn
	}
	return diesOnChange
}
