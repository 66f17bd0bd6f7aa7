package completion

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Shorten returns a copy of an outcome whose messages have at most so many bytes each, for a status that would
// otherwise be too large to be stored. The JSON in its diagnostics stays valid, and keeps everything but the
// ends of messages.
func Shorten(s v1.TaskAttemptCompletionStatus, most int) v1.TaskAttemptCompletionStatus {
	s.Diagnostics = ShortenDiagnostics(s.Diagnostics, most)
	if s.Pod == nil {
		return s
	}
	s.Pod = s.Pod.DeepCopy()
	s.Pod.Message = cut(s.Pod.Message, most)
	for i := range s.Pod.Containers {
		s.Pod.Containers[i].Message = cut(s.Pod.Containers[i].Message, most)
	}
	return s
}

// ShortenDiagnostics is Shorten for diagnostics alone. Text that holds no JSON is cut itself.
func ShortenDiagnostics(diagnostics string, most int) string {
	for _, prefix := range []string{matchedPrefix, unmatchedPrefix} {
		if text, ok := strings.CutPrefix(diagnostics, prefix); ok {
			return prefix + shortenJSON(text, most)
		}
	}
	if answer, ok := strings.CutPrefix(diagnostics, refusedPrefix); ok {
		return refusedPrefix + shortenAnswer(answer, most)
	}
	return cut(diagnostics, most)
}

// shortenAnswer shortens what the API server has answered. The details of an error repeat its message in parts.
func shortenAnswer(text string, most int) string {
	var answer map[string]any
	if len(text) <= most || json.Unmarshal([]byte(text), &answer) != nil {
		return cut(text, most)
	}
	message, _ := answer["message"].(string)
	answer["message"] = cut(message, most)
	delete(answer, "details")
	return compactJSON(answer)
}

func shortenJSON(text string, most int) string {
	var m podMatch
	if json.Unmarshal([]byte(text), &m) != nil {
		return "{}" // not written by us; what it says cannot be kept in a valid form
	}
	m.Message = cut(m.Message, most)
	for i := range m.Containers {
		m.Containers[i].Message = cut(m.Containers[i].Message, most)
	}
	return compactJSON(m)
}

// cut returns at most so many bytes of a text, without splitting a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
