package objects

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// jsonPattern writes a tree as JSON. In the tree, a variable is written as a string, and a pattern as raw JSON; a token in a string becomes
// a variable. Keys are written unchanged and sorted, so that equal trees give equal text.
func jsonPattern(tree any) pattern {
	var w patternWriter
	w.value(tree)
	return append(w.done, piece{text: string(w.text)})
}

// withoutBrackets is the inside of the JSON of a list.
func withoutBrackets(list pattern) pattern {
	last := len(list) - 1
	list[0].text = strings.TrimPrefix(list[0].text, "[")
	list[last].text = strings.TrimSuffix(list[last].text, "]")
	return list
}

// patternWriter holds the pieces written so far, and the text that follows them.
type patternWriter struct {
	done pattern
	text []byte
}

func (w *patternWriter) value(value any) {
	switch v := value.(type) {
	case map[string]any:
		w.object(v)
	case []any:
		w.list(v)
	case string:
		w.string(parseTokens(v))
	case variable:
		w.string(pattern{{variable: v}})
	case pattern:
		w.json(v)
	case bool:
		w.bool(v)
	case json.Number:
		// The user's own digits: any other form might not be the same number.
		w.text = append(w.text, v...)
	default:
		w.text = append(w.text, "null"...)
	}
}

func (w *patternWriter) object(fields map[string]any) {
	w.text = append(w.text, '{')
	for i, key := range slices.Sorted(maps.Keys(fields)) {
		w.comma(i)
		w.string(pattern{{text: key}})
		w.text = append(w.text, ':')
		w.value(fields[key])
	}
	w.text = append(w.text, '}')
}

func (w *patternWriter) list(elements []any) {
	w.text = append(w.text, '[')
	for i, element := range elements {
		w.comma(i)
		w.value(element)
	}
	w.text = append(w.text, ']')
}

func (w *patternWriter) comma(i int) {
	if i > 0 {
		w.text = append(w.text, ',')
	}
}

func (w *patternWriter) bool(b bool) {
	if b {
		w.text = append(w.text, "true"...)
	} else {
		w.text = append(w.text, "false"...)
	}
}

// string writes a pattern of plain text.
func (w *patternWriter) string(p pattern) {
	w.text = append(w.text, '"')
	for _, piece := range p {
		w.text = append(w.text, jsonText(piece.text)...)
		w.variable(piece)
	}
	w.text = append(w.text, '"')
}

// json writes a pattern of JSON.
func (w *patternWriter) json(p pattern) {
	for _, piece := range p {
		w.text = append(w.text, piece.text...)
		w.variable(piece)
	}
}

// variable writes the variable of a piece.
func (w *patternWriter) variable(of piece) {
	if of.variable == noVariable {
		return
	}
	w.done = append(w.done, piece{string(w.text), of.variable, of.item})
	w.text = w.text[:0]
}
