package controller

import (
	"cmp"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// blockedBy lists what is in the way of the Framework in a fixed order, reasons of long ago last: actions that fail,
// questions that plugins do not answer, and what the process before has told of; and then what keeps nothing from running.
// Of this and of its Pods, package
// lifecycle makes the condition Waiting.
func (r *record) blockedBy() []lifecycle.Blocker {
	present, past := r.questions.blockedBy(), []lifecycle.Blocker(nil)
	last := r.blockers.lastFailures()
	add := func(o lifecycle.Blocker, superseded bool) {
		if superseded {
			past = append(past, o)
		} else {
			present = append(present, o)
		}
	}
	if r.blockers.restored != nil {
		add(r.blockers.restored.Blocker, last.superseded(r.blockers.restored.Reason))
	}
	for name, f := range r.blockers.failures {
		what := blockerTo(describe(f.action, name), f.reason(), f.text())
		what.Edited = f.edited
		add(what, creates(f.action) && last.superseded(f.reason()))
	}
	blockers := append(sorted(present), sorted(past)...)
	if r.blockers.unresolvable != "" {
		blockers = append(blockers, lifecycle.Blocker{Reason: namesUnresolvable, Message: r.blockers.unresolvable, Minor: true})
	}
	return blockers
}

func sorted(blockers []lifecycle.Blocker) []lifecycle.Blocker {
	slices.SortFunc(blockers, func(a, b lifecycle.Blocker) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Words, b.Words))
	})
	return blockers
}

// blockerTo is what is in the way of doing something, in the words of others.
func blockerTo(doing, reason, words string) lifecycle.Blocker {
	return lifecycle.Blocker{Reason: reason, Message: doing, Words: completion.Cut(words, longestMessage-len(doing)-len(": "))}
}
