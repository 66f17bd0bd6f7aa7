package crash

import (
	"fmt"
	"sync"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

// figures sum up all plays.
type figures struct {
	mu              sync.Mutex
	points, crashes int
	missed          []string
}

// Wherever the controller is killed, the next one brings the Framework to the same end, and no guarantee is broken.
func TestCrashPoints(t *testing.T) {
	f := &figures{}
	t.Run("stories", func(t *testing.T) {
		for _, s := range stories {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				killEverywhere(t, s, f)
			})
		}
	})
	for _, m := range f.missed {
		t.Logf("not reached, as there were fewer writes this time: %s", m)
	}
	if len(f.missed)*10 > f.points {
		t.Errorf("%d points of %d were missed", len(f.missed), f.points)
	}
	t.Logf("%d points, %d kills, %d stories; %d attempts and verdicts are in the history once; %s", f.points, f.crashes, len(stories), remembered.Load(),
		checkGuarantees(t))
}

func killEverywhere(t *testing.T, s story, f *figures) {
	want, writes, _ := perform(t, s, nil, "")
	if t.Failed() {
		return
	}
	t.Logf("%d writes; the end is\n%s", len(writes), want)
	for i, write := range writes {
		for k, side := range []side{before, after} {
			if !*all && k != i%2 {
				continue
			}
			name := fmt.Sprintf("%s write %d, %s", side, i, write)
			f.add(func() { f.points++ })
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if _, _, crashed := perform(t, s, &point{i, side}, want); !crashed {
					f.add(func() { f.missed = append(f.missed, s.name+": "+name) })
					return
				}
				f.add(func() { f.crashes++ })
			})
		}
	}
}

func (f *figures) add(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// checkGuarantees lets the checker judge everything that happened.
func checkGuarantees(t *testing.T) string {
	t.Helper()
	h := recorder.History()
	if err := recorder.Err(); err != nil {
		t.Error(err)
	}
	var err error
	if h.Requests, err = checker.ReadAudit(auditLog); err != nil {
		t.Fatal(err)
	}
	report := checker.Check(h, checker.Options{})
	for _, v := range report.Violations {
		t.Errorf("%s", v)
	}
	if report.Total() == 0 || len(h.Gaps) > 0 {
		t.Errorf("%d checks, %d gaps", report.Total(), len(h.Gaps))
	}
	return fmt.Sprintf("%d checks of %d versions and %d requests, %d violations", report.Total(), len(h.Observations), len(h.Requests), len(report.Violations))
}
