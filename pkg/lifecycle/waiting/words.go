package waiting

import "regexp"

// word is a number with or without its unit, a time, an id, or a name.
var word = regexp.MustCompile(`[\pL\d._+-]+`)

// fleeting are numbers and times, which begin with a digit, and ids. A name may have digits in it, too: gpu-a100 is another
// quota than gpu-v100.
var fleeting = regexp.MustCompile(`^(\d.*|[\da-f-]{8,})$`)

// sameWords reports whether two texts of others differ at most in fleeting words.
func sameWords(a, b string) bool { return a == b || lasting(a) == lasting(b) }

// lasting is a text without its fleeting words.
func lasting(text string) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if fleeting.MatchString(w) {
			return "0"
		}
		return w
	})
}
