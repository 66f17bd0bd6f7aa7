package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Sentences of the YAML decoder, which name lines and Go types but no keys.
var (
	unknownKey   = regexp.MustCompile(`^line (\d+): field (.*) not found in type \S+$`)
	duplicateKey = regexp.MustCompile(`^line (\d+): mapping key "(.*)" already defined at line (\d+)$`)
	wrongType    = regexp.MustCompile("(?s)^line (\\d+): cannot unmarshal !!(\\w+)(?: `(.*)`)? into (.+)$")
)

// explain translates the decoder's errors into terms of keys. It returns an error if the decoder has given up;
// otherwise the decoder has read the rest.
func (d document) explain(err error) (found mistakes, gaveUp error) {
	var typeError *yaml.TypeError
	switch {
	case err == nil:
		return nil, nil
	case !errors.As(err, &typeError):
		return nil, mistakes{strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	for _, text := range typeError.Errors {
		found = append(found, d.explainOne(text))
	}
	return found, nil
}

func (d document) explainOne(text string) string {
	if m := unknownKey.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("line %s: %s: no such key: correct or remove it", m[1], d.keyEnding(m[1], m[2]))
	}
	if m := duplicateKey.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("line %s: %s: is already set in line %s: remove one of them", m[1], d.keyEnding(m[1], m[2]), m[3])
	}
	if m := wrongType.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("line %s: %smust be %s, but is %s", m[1], d.keyOfValue(m[1], m[2], m[3]), wanted(m[4]), given(m[2], m[3]))
	}
	return text
}

// keyEnding returns the full key whose last part and line are given.
func (d document) keyEnding(line, last string) string {
	for _, e := range d {
		if strconv.Itoa(e.line) == line && (e.key == last || strings.HasSuffix(e.key, "."+last)) {
			return e.key
		}
	}
	return last
}

// keyOfValue returns the full key, with a colon, of the innermost value on the line that has the tag. Only the
// beginning of the text is compared, as the decoder cuts long values. The key is empty if that value is the whole file.
func (d document) keyOfValue(line, tag, text string) string {
	begin := strings.TrimSuffix(text, "...")
	for _, e := range slices.Backward(d) {
		if strconv.Itoa(e.node.Line) == line && e.node.ShortTag() == "!!"+tag && strings.HasPrefix(e.node.Value, begin) {
			return e.key + ": "
		}
	}
	return ""
}

func wanted(goType string) string {
	switch {
	case strings.HasPrefix(goType, "[]"), goType == "config.parameterKeys":
		return "a list"
	case goType == "bool":
		return "true or false"
	case strings.HasPrefix(goType, "float"):
		return "a number"
	case goType == "int32":
		return "a whole number of 32 bits"
	case goType == "int", goType == "config.Seconds":
		return "a whole number"
	case goType == "config.Timeout":
		return "a duration such as 500ms or 5s, or a whole number of seconds"
	case goType == "config.Bytes":
		return "a number of bytes, such as 512Mi or 2Gi"
	case goType == "config.jsonNumber":
		return "a number that JSON can express with at most 53 bits, or text in quotes"
	case goType == "string", strings.HasPrefix(goType, "v1.CompletionType"):
		return "text"
	default:
		return "a mapping of keys to values"
	}
}

func given(tag, text string) string {
	switch {
	case tag == "map":
		return "a mapping"
	case tag == "seq":
		return "a list"
	default:
		return strconv.Quote(text)
	}
}
