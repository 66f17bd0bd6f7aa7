package checker

import (
	"fmt"
	"slices"
	"strings"
)

// Options are facts that the checker cannot see.
type Options struct {
	// Controller reports whether a request is the controller's. Nil: its user agent begins with frameworkcontroller/.
	Controller func(Request) bool
	// Settled: nothing was under way when the history ended.
	Settled bool
	// Undisturbed: others delete a Pod only while it runs and is recorded, or with its Framework. So each attempt of a Task gets one Pod,
	// and a Pod that disappeared without an outcome must get one.
	Undisturbed bool
	// ShadowWords are words, such as names and phrases, that only classifiers and rules in shadow use.
	ShadowWords []string
}

// Violation is something that a guarantee rules out.
type Violation struct {
	Guarantee Guarantee
	Object    string // kind, namespace and name
	Version   uint64 // version of the change that shows it
	Evidence  string // the observation, and the fact that it contradicts
}

func (v Violation) String() string {
	return fmt.Sprintf("%s: %s at version %d: %s", v.Guarantee, v.Object, v.Version, v.Evidence)
}

// Report has the results of the checker.
type Report struct {
	Violations []Violation
	// Undecided would be violations, but the history has gaps there.
	Undecided []Violation
	// Checks counts the checks of each guarantee, violated or not.
	Checks map[Guarantee]int
}

// Total is the number of checks.
func (r Report) Total() int {
	total := 0
	for _, n := range r.Checks {
		total += n
	}
	return total
}

// rule looks at every change, and reports its findings to the replay. It may remember earlier changes.
type rule interface {
	see(t *replay, c change)
}

// ender is a rule that looks at the history as a whole, too.
type ender interface {
	end(t *replay)
}

func rules() []rule {
	return []rule{
		onePod{}, oneAttempt{}, &secondRun{}, podOfTask{}, allEnded{},
		&creation{}, deletion{}, newLost(), dropped{}, newAdoption(), newForeign(),
		forward{}, counters{}, scale{}, flags{}, suspension{}, restart{}, admission{}, avoided{}, turns{}, activeDeadline{}, raisedMemory{}, &claims{}, newOtherFrameworks(), newItemsOf(), inShadow{},
	}
}

// Check replays a history.
func Check(h History, o Options) Report {
	if o.Controller == nil {
		o.Controller = func(r Request) bool { return strings.HasPrefix(r.Agent, "frameworkcontroller/") }
	}
	t := newReplay(h, o)
	all := rules()
	statusOnly(t)
	for _, s := range inOrder(h.Observations) {
		t.past = s.Version <= h.Begin
		for _, c := range t.changes(s) {
			for _, r := range all {
				r.see(t, c)
			}
			t.apply(c)
		}
	}
	t.past = false
	for _, r := range all {
		if e, ok := r.(ender); ok {
			e.end(t)
		}
	}
	return t.report
}

// hold counts a check, and records a violation unless ok. It ignores the past.
func (t *replay) hold(g Guarantee, object fmt.Stringer, ok bool, format string, args ...any) {
	if t.past {
		return
	}
	t.report.Checks[g]++
	if ok {
		return
	}
	v := Violation{Guarantee: g, Object: object.String(), Version: t.version, Evidence: fmt.Sprintf(format, args...)}
	if slices.ContainsFunc(t.gaps, func(g Gap) bool { return g.From <= v.Version && v.Version <= g.To }) {
		t.report.Undecided = append(t.report.Undecided, v)
	} else {
		t.report.Violations = append(t.report.Violations, v)
	}
}
