package explain

import "github.com/frameworkcontroller/frameworkcontroller/pkg/reason"

// WaitingWord returns what is said of a reason of the condition Waiting.
func WaitingWord(why string) Word {
	row := reason.Waiting(why).Row()
	return Word{Means: row.Means, Ends: row.Ends, Next: row.Next}
}
