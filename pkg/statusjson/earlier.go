package statusjson

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// earlierBytes is the weight of an earlier attempt of a Task relative to messages: of a Task whose messages may have 100
// bytes, 3 such attempts are kept, and none if no messages are left.
const earlierBytes = 32

// longestEarlier returns the message length that is equivalent to the attempts, or to their longest text, for choosing what to
// cut.
func longestEarlier(attempts []v1.EarlierTaskAttempt) int {
	most := earlierBytes * len(attempts)
	for i := range attempts {
		most = max(most, len(attempts[i].Phrase))
	}
	return most
}

// cutEarlier returns the latest of the attempts, with texts of at most most bytes.
func cutEarlier(attempts []v1.EarlierTaskAttempt, most int) []v1.EarlierTaskAttempt {
	kept := slices.Clone(attempts[max(0, len(attempts)-most/earlierBytes):])
	for i := range kept {
		kept[i].Phrase = completion.CutName(kept[i].Phrase, most)
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}
