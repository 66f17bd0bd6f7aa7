package lifecycle

import (
	"regexp"
	"strings"
)

// blocked says what a blocker is. A quota tells with each try how much of it is used, and a webhook may tell the time or
// an id; so what was stored is kept while nothing but such words has changed: each change is a status write.
func (r *round) blocked(o Blocker) Blocker {
	if o.Words == "" {
		return o
	}
	about := o.Message + ": "
	if said, ok := r.said(o.Reason); ok && !o.Edited {
		if words, same := strings.CutPrefix(said, about); same && sameWords(words, o.Words) {
			return Blocker{Reason: o.Reason, Message: said}
		}
	}
	return Blocker{Reason: o.Reason, Message: about + o.Words}
}

// word is what may be a number with or without its unit, a time, an id, or a name.
var word = regexp.MustCompile(`[\pL\d._+-]+`)

// fleeting are numbers and times, which begin with a digit, and ids. A name may have digits in it, too: gpu-a100 is another
// quota than gpu-v100.
var fleeting = regexp.MustCompile(`^(\d.*|[\da-f-]{8,})$`)

// sameWords reports whether two texts say the same of something that changes all the time.
func sameWords(a, b string) bool { return lasting(a) == lasting(b) }

// lasting is a text without its fleeting words.
func lasting(text string) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if fleeting.MatchString(w) {
			return "0"
		}
		return w
	})
}
