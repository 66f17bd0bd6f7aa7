package convert

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// notes collects the reports about an object, each only once: several roles may come from one template.
type notes struct {
	lost     []Lost
	mistakes []error
	said     map[any]bool // losses, and texts of mistakes
}

// say reports that the value at a path has a different meaning in a Framework.
func (n *notes) say(path, instead string, args ...any) {
	n.report(Lost{Path: path, Instead: fmt.Sprintf(instead, args...)})
}

func (n *notes) report(lost Lost) {
	if n.isNew(lost) {
		n.lost = append(n.lost, lost)
	}
}

// wrong reports that the value at a path is invalid. The object is then not converted.
func (n *notes) wrong(path, what string, args ...any) {
	if text := path + ": " + fmt.Sprintf(what, args...); n.isNew(text) {
		n.mistakes = append(n.mistakes, errors.New(text))
	}
}

func (n *notes) isNew(what any) bool {
	if n.said[what] {
		return false
	}
	if n.said == nil {
		n.said = map[any]bool{}
	}
	n.said[what] = true
	return true
}

// fields holds the fields of an object, and tracks which of them were taken. Missing fields and null read as empty.
type fields struct {
	*notes
	path  string
	of    map[string]any
	taken map[string]bool
	inner []*fields // objects whose own fields have to be taken
}

func newFields(path string, of map[string]any, told *notes) *fields {
	return &fields{notes: told, path: path, of: of, taken: map[string]bool{}}
}

func (f *fields) at(key string) string {
	if f.path == "" {
		return key
	}
	return f.path + "." + key
}

func (f *fields) empty() bool { return len(f.of) == 0 }

func (f *fields) has(key string) bool { return f.of[key] != nil }

// keys returns the existing keys, sorted.
func (f *fields) keys() []string { return slices.Sorted(maps.Keys(f.of)) }

// take returns a value; nil if it is missing.
func (f *fields) take(key string) any {
	f.taken[key] = true
	return f.of[key]
}

// skip takes fields without a report.
func (f *fields) skip(keys ...string) {
	for _, key := range keys {
		f.take(key)
	}
}

// lose takes a field without an equivalent, and reports it if it exists.
func (f *fields) lose(key, instead string, args ...any) {
	if f.take(key) != nil {
		f.say(f.at(key), instead, args...)
	}
}

// note reports something about a field.
func (f *fields) note(key, what string, args ...any) { f.say(f.at(key), what, args...) }

func (f *fields) text(key string) string {
	return asText(f.notes, f.at(key), f.take(key))
}

// oneOf returns one of the known values; the first is the default. Any other value is reported, and counts as the default.
func (f *fields) oneOf(key string, known ...string) string {
	switch text := f.text(key); {
	case slices.Contains(known, text):
		return text
	case text != "":
		named := slices.DeleteFunc(slices.Clone(known), func(value string) bool { return value == "" })
		f.note(key, "%q is not one of %s; it is ignored", text, strings.Join(named, ", "))
	}
	return known[0]
}

func asText(told *notes, path string, value any) string {
	text, ok := value.(string)
	if value != nil && !ok {
		told.wrong(path, "must be a string, but is %s", sortOf(value))
	}
	return text
}

// number returns a count, and whether it exists. Every number that a conversion reads by its key is a count of 32 bits, so
// others are rejected.
func (f *fields) number(key string) (int64, bool) {
	value := f.take(key)
	if value == nil {
		return 0, false
	}
	n, ok := asNumber(f.notes, f.at(key), value)
	if ok && (n < 0 || n > math.MaxInt32) {
		f.wrong(f.at(key), "must be an integer from 0 to %d, but is %d", math.MaxInt32, n)
		return 0, false
	}
	return n, ok
}

// positive is number, except that 0 counts as absent.
func (f *fields) positive(key string) (n int64, ok bool) {
	n, ok = f.number(key)
	return n, ok && n > 0
}

func (f *fields) numberOr(key string, otherwise int64) int64 {
	if n, ok := f.number(key); ok {
		return n
	}
	return otherwise
}

func asNumber(told *notes, path string, value any) (int64, bool) {
	switch n := value.(type) {
	case int64:
		return n, true
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return int64(n), true
		}
	}
	told.wrong(path, "must be an integer, but is %s", sortOf(value))
	return 0, false
}

// yes returns a boolean; false if it is missing.
func (f *fields) yes(key string) bool { return f.yesOr(key, false) }

func (f *fields) yesOr(key string, otherwise bool) bool {
	value := f.take(key)
	if value == nil {
		return otherwise
	}
	yes, ok := value.(bool)
	if !ok {
		f.wrong(f.at(key), "must be true or false, but is %s", sortOf(value))
	}
	return yes
}

// object returns an object whose own fields have to be taken.
func (f *fields) object(key string) *fields {
	return f.enter(f.at(key), f.take(key))
}

func (f *fields) enter(path string, value any) *fields {
	of, ok := value.(map[string]any)
	if value != nil && !ok {
		f.wrong(path, "must be an object, but is %s", sortOf(value))
	}
	inner := newFields(path, of, f.notes)
	f.inner = append(f.inner, inner)
	return inner
}

// words returns labels or annotations, as a copy.
func (f *fields) words(key string) map[string]any {
	words := map[string]any{}
	inner := f.object(key)
	for _, name := range inner.keys() {
		if inner.has(name) {
			words[name] = inner.text(name)
		}
	}
	return words
}

// list returns the values of a list, with their paths.
func (f *fields) list(key string) (values []any, paths []string) {
	value := f.take(key)
	values, ok := value.([]any)
	if value != nil && !ok {
		f.wrong(f.at(key), "must be a list, but is %s", sortOf(value))
	}
	for i := range values {
		paths = append(paths, fmt.Sprintf("%s[%d]", f.at(key), i))
	}
	return values, paths
}

// objects returns the objects of a list.
func (f *fields) objects(key string) (all []*fields) {
	values, paths := f.list(key)
	for i, value := range values {
		if value == nil {
			f.wrong(paths[i], "must be an object, but is null")
		}
		all = append(all, f.enter(paths[i], value))
	}
	return all
}

func (f *fields) texts(key string) (all []string) {
	values, paths := f.list(key)
	for i, value := range values {
		all = append(all, asText(f.notes, paths[i], value))
	}
	return all
}

func (f *fields) numbers(key string) (all []int64) {
	values, paths := f.list(key)
	for i, value := range values {
		if n, ok := asNumber(f.notes, paths[i], value); ok {
			all = append(all, n)
		}
	}
	return all
}

// leftOver reports each field that was not taken.
func (f *fields) leftOver() {
	for _, key := range f.keys() {
		if !f.taken[key] && f.of[key] != nil {
			f.report(Lost{f.at(key), "unknown field; it is dropped", true})
		}
	}
	for _, inner := range f.inner {
		inner.leftOver()
	}
}

func sortOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("the string %.40q", v)
	case bool:
		return fmt.Sprint(v)
	case int64, float64:
		return fmt.Sprintf("the number %v", v)
	case []any:
		return "a list"
	}
	return "an object"
}
