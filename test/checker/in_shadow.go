package checker

import (
	"encoding/json"
	"strings"
)

// inShadow holds that a verdict in shadow decides nothing: no status has a word that only classifiers and rules in shadow use. It searches the
// text of the status, so that it holds for every field that a status will ever have.
type inShadow struct{}

func (inShadow) see(t *replay, c change) {
	if len(t.shadowWords) == 0 || c.framework == nil || c.framework.after == nil || c.framework.after.Status == nil {
		return
	}
	said := ShadowWord(c.framework.after.Status, t.shadowWords)
	t.hold(InShadow, c.subject(), said == "", "its status has %q, which was said in shadow", said)
}

// ShadowWord returns the first of the words that an object has anywhere in its text; empty if it has none.
func ShadowWord(object any, words []string) string {
	text, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	for _, word := range words {
		if strings.Contains(string(text), word) {
			return word
		}
	}
	return ""
}
