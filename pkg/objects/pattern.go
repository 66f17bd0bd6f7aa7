package objects

import (
	"encoding/json"
	"maps"
)

// pattern is text with variables in it.
type pattern []piece

// piece is a stretch of text and the variable that follows it, if any.
type piece struct {
	text     string
	variable variable
	item     string // name of the variable of an item, with taskItem
}

// append adds the text to out, with the values put in.
func (p pattern) append(out []byte, v *values) []byte {
	for i := range p {
		out = append(out, p[i].text...)
		out = append(out, v.of(p[i])...)
	}
	return out
}

// join returns the text with the values put in.
func (p pattern) join(v *values) string { return string(p.append(nil, v)) }

// inJSON are the values as they are put into a pattern of JSON: unchanged, as strings or parts of strings. The
// environment is built from them.
func (v values) inJSON(env pattern) *values {
	for i := range v.fixed {
		v.fixed[i] = jsonText(v.fixed[i])
	}
	v.fixed[environment] = env.join(&v) + itemEnvironment(v.item)
	v.ofItem = maps.Clone(v.ofItem)
	for name, value := range v.ofItem {
		v.ofItem[name] = jsonText(value)
	}
	return &v
}

// size is the length in bytes of the text with the values put in.
func (p pattern) size(v *values) int {
	size := 0
	for i := range p {
		size += len(p[i].text) + len(v.of(p[i]))
	}
	return size
}

// jsonText is the text as it appears between the quotes of a JSON string.
func jsonText(text string) string {
	if isPlain(text) {
		return text
	}
	quoted, _ := json.Marshal(text) // a string always has a JSON form
	return string(quoted[1 : len(quoted)-1])
}

// isPlain reports whether text needs no escaping. Names and UIDs, the values of most variables, need none.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
