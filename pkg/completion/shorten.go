package completion

import (
	"encoding/json"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Shorten returns a copy of an outcome in which each message has at most the given number of bytes. It is for a status that
// would otherwise be too large to be stored. The JSON in its diagnostics stays valid, and loses only the ends of messages and
// of overlong names (CutName).
func Shorten(s v1.TaskAttemptCompletionStatus, most int) v1.TaskAttemptCompletionStatus {
	s.CompletionStatus = ShortenStatus(s.CompletionStatus, most)
	if s.Pod == nil {
		return s
	}
	s.Pod = s.Pod.DeepCopy()
	s.Pod.Message, s.Pod.Reason = Cut(s.Pod.Message, most), CutName(s.Pod.Reason, most)
	for i := range s.Pod.Containers {
		c := &s.Pod.Containers[i]
		c.Message, c.Reason, c.Name = Cut(c.Message, most), CutName(c.Reason, most), CutName(c.Name, most)
	}
	return s
}

// ShortenStatus is Shorten for the common part of a Framework and a Task.
func ShortenStatus(s v1.CompletionStatus, most int) v1.CompletionStatus {
	s.Diagnostics, s.Phrase, s.Remedy = ShortenDiagnostics(s.Diagnostics, most), CutName(s.Phrase, most), Cut(s.Remedy, most)
	if s.Source != nil {
		s.Source = &v1.CompletionSource{
			Plugin: CutName(s.Source.Plugin, most), Version: CutName(s.Source.Version, most), Rule: CutName(s.Source.Rule, most)}
	}
	return s
}

// ShortenDiagnostics is Shorten for diagnostics alone. Text that holds no JSON is cut itself.
func ShortenDiagnostics(diagnostics string, most int) string {
	switch prefix, body := split(diagnostics); prefix {
	case matchedPrefix, unmatchedPrefix:
		return prefix + shortenJSON(body, most)
	case refusedPrefix:
		return prefix + shortenAnswer(body, most)
	}
	return Cut(diagnostics, most)
}

// shortenAnswer shortens the API server's answer. The details of an error repeat its message in parts.
func shortenAnswer(text string, most int) string {
	var answer map[string]any
	if len(text) <= most || json.Unmarshal([]byte(text), &answer) != nil {
		return Cut(text, most)
	}
	message, _ := answer["message"].(string)
	answer["message"] = Cut(message, most)
	delete(answer, "details")
	return compactJSON(answer)
}

func shortenJSON(text string, most int) string {
	var m podMatch
	if json.Unmarshal([]byte(text), &m) != nil {
		return "{}" // not written by us; its content cannot be kept in a valid form
	}
	m.Message, m.Reason = Cut(m.Message, most), CutName(m.Reason, most)
	for i := range m.Containers {
		c := &m.Containers[i]
		c.Message, c.Reason, c.Name = Cut(c.Message, most), CutName(c.Reason, most), cutIfAny(c.Name, most)
	}
	m.Name = cutIfAny(m.Name, most)
	return compactJSON(m)
}

func cutIfAny(name *string, most int) *string {
	if name == nil {
		return nil
	}
	return new(CutName(*name, most))
}

// longestName is how long a word may be that programs compare with others, and that is short unless somebody lies.
const longestName = 256

// CutName is Cut for names: it leaves 256 bytes however few there may be.
func CutName(name string, most int) string { return Cut(name, max(most, longestName)) }

// Cut shortens a text to at most the given number of bytes of valid UTF-8. A text that is not longer is returned unchanged.
// Cut adds no dots.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// CutVisibly is Cut for people: three dots follow a text that was cut, beyond the given number of bytes.
func CutVisibly(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Cut(text, most) + "..."
}
