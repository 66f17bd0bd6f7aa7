package controller

import "github.com/frameworkcontroller/frameworkcontroller/pkg/completion"

// mostWarnings bounds what is remembered of one Framework, and told, for each reason: a template can have each Task warned
// of something else, and each edit of a spec have other warnings. No reason takes the place of another.
const mostWarnings = 100

// warned are what users have been told, by reason and by what it was about, with the last occasion.
type warned map[string]map[string]string

// isFirst reports whether users have not been told something on this occasion, and notes that they are. Only the last
// occasion is remembered, as there may be any number of them. last is true for the last of its reason that is told.
func (w warned) isFirst(reason, what, occasion string) (first, last bool) {
	what, occasion = completion.Cut(what, longestMessage), completion.Cut(occasion, longestMessage)
	before, told := w[reason][what]
	if told && before == occasion || !told && len(w[reason]) >= mostWarnings {
		return false, false
	}
	if w[reason] == nil {
		w[reason] = map[string]string{}
	}
	w[reason][what] = occasion
	return true, !told && len(w[reason]) == mostWarnings
}
