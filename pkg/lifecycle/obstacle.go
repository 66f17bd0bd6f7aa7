package lifecycle

import (
	"regexp"
	"strings"
)

// inTheWay says what an obstacle is. A quota tells with each try how much of it is used, and a webhook may tell the time or
// an id; so what was stored is kept while nothing but such words has changed: each change is a status write.
func (r *round) inTheWay(o Obstacle) Obstacle {
	if o.Words == "" {
		return o
	}
	about := o.Message + ": "
	if said, ok := r.said(o.Reason); ok && !o.Edited {
		if words, same := strings.CutPrefix(said, about); same && sameWords(words, o.Words) {
			return Obstacle{Reason: o.Reason, Message: said}
		}
	}
	return Obstacle{Reason: o.Reason, Message: about + o.Words}
}

// fleeting is a word with a digit in it: a number with or without its unit, a time, or an id.
var fleeting = regexp.MustCompile(`[\pL\d._+-]*\d[\pL\d._+-]*`)

// sameWords reports whether two texts say the same of something that changes all the time.
func sameWords(a, b string) bool {
	return fleeting.ReplaceAllLiteralString(a, "0") == fleeting.ReplaceAllLiteralString(b, "0")
}
