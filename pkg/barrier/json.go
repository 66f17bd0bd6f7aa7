package barrier

import (
	"bytes"
	"encoding/json"
	"errors"
)

// reader goes over JSON once, and returns values as raw text. A Framework of a thousand Tasks is 700 KB, and all its barriers read it at
// the same moment. encoding/json would scan it again for each raw part, and once before to check that all of it is well-formed.
// encoding/json takes six to seven times as long (BenchmarkParse): 1.2 ms instead of 0.18 ms for 300 Tasks, 3.8 ms instead of 0.57 ms for
// 1,000, and a gang took 30 to 43 % longer with it (decisions, "The barrier's reader of JSON"). The reader expects JSON that an API server
// has encoded: it detects incomplete text, but not every mistake.
type reader struct {
	text []byte
	at   int   // start of the next value, or of the space before it
	err  error // the first error; nothing is read after it
}

var (
	errIncomplete = errors.New("the JSON is incomplete")
	errNotJSON    = errors.New("not the expected JSON")
)

// members reads an object and calls visit for each member, which may read the value; an unread value is skipped. Null
// has no members. The name is raw text.
func (r *reader) members(visit func(name []byte)) {
	r.list('{', '}', func() {
		name := r.raw()
		if r.peek() != ':' || len(name) < 2 || name[0] != '"' {
			r.fail(errNotJSON)
			return
		}
		r.at++
		r.value(func() { visit(name[1 : len(name)-1]) })
	})
}

// elements reads an array, or null, likewise.
func (r *reader) elements(visit func()) {
	r.list('[', ']', func() { r.value(visit) })
}

// value calls read, and skips the next value if read has not consumed it.
func (r *reader) value(read func()) {
	r.peek()
	start := r.at
	if read(); r.at == start {
		r.raw()
	}
}

// list calls item for each entry between the brackets and commas.
func (r *reader) list(open, end byte, item func()) {
	switch r.peek() {
	case open:
		r.at++
	case 'n':
		r.raw()
		return
	default:
		r.fail(errNotJSON)
		return
	}
	if r.peek() == end {
		r.at++
		return
	}
	for r.err == nil {
		item()
		switch r.peek() {
		case ',':
			r.at++
		case end:
			r.at++
			return
		default:
			r.fail(errNotJSON)
		}
	}
}

// raw reads any value as raw text.
func (r *reader) raw() []byte {
	c, start := r.peek(), r.at
	switch {
	case r.err != nil:
		return nil
	case c == '"':
		r.skipString()
	case c == '{' || c == '[':
		r.skipNested()
	default:
		r.skipPlain()
	}
	if r.at == start {
		r.fail(errNotJSON)
	}
	if r.err != nil {
		return nil
	}
	return r.text[start:r.at]
}

// string reads a string; null is the empty one.
func (r *reader) string() string {
	value := r.raw()
	switch {
	case r.err != nil || isNull(value):
		return ""
	case value[0] != '"':
		r.fail(errNotJSON)
		return ""
	case bytes.IndexByte(value, '\\') < 0:
		return string(value[1 : len(value)-1])
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		r.fail(err)
	}
	return text
}

// peek returns the next byte that is not a space. At the end of the text it returns 0 and sets the error.
func (r *reader) peek() byte {
	for ; r.err == nil && r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case ' ', '\n', '\r', '\t':
		default:
			return c
		}
	}
	r.fail(errIncomplete)
	return 0
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) skipNested() {
	for depth := 0; r.at < len(r.text); {
		switch r.text[r.at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			r.skipString()
			continue
		}
		if r.at++; depth == 0 {
			return
		}
	}
	r.fail(errIncomplete)
}

func (r *reader) skipString() {
	rest := r.text[r.at+1:]
	if end := bytes.IndexByte(rest, '"'); end == 0 || end > 0 && rest[end-1] != '\\' {
		r.at += len(`""`) + end
		return
	}
	for r.at++; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case '\\':
			r.at++
		case '"':
			r.at++
			return
		}
	}
	r.at = len(r.text)
	r.fail(errIncomplete)
}

// skipPlain skips a number, true, false or null.
func (r *reader) skipPlain() {
	for ; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case ',', ':', '{', '}', '[', ']', '"', ' ', '\n', '\r', '\t':
			return
		}
	}
}

func isNull(value []byte) bool { return len(value) == 0 || string(value) == "null" }
