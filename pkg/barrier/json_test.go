package barrier

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// readAny reads a value with the reader, into the types that encoding/json uses for any value.
func readAny(r *reader) (out any) {
	r.value(func() {
		switch r.peek() {
		case '{':
			object := map[string]any{}
			r.members(func(name []byte) {
				var key string
				json.Unmarshal([]byte(`"`+string(name)+`"`), &key)
				object[key] = readAny(r)
			})
			out = object
		case '[':
			array := []any{}
			r.elements(func() { array = append(array, readAny(r)) })
			out = array
		case '"':
			out = r.string()
		default:
			json.Unmarshal(r.raw(), &out)
		}
	})
	return out
}

// The reader reads valid JSON as encoding/json does, and survives anything else.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		ready, unready, sampleWith(2, 2, nil), `{"a\"\\\u00e4":"b\"\\\u00e4"}`, `{}`, `[]`, `null`, `"`, `{"a":[1,{"b":"}"}]}`,
		` { "a" : [ 1 , null , true , -1.5e3 ] , "b" : { } } `, `{"a":"\`, `{"a"`, `{"a":`, `[1 2]`, `{1:2}`, `[,]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		parseFramework(text)
		parseEvent(text)
		r := &reader{text: text}
		got := readAny(r)
		var want any
		if utf8.Valid(text) && json.Unmarshal(text, &want) == nil && (r.err != nil || !reflect.DeepEqual(got, want)) {
			t.Fatalf("got %v (%v), want %v", got, r.err, want)
		}
	})
}

// Every proper prefix of an object is recognized as incomplete: the rest may still arrive.
func TestIncomplete(t *testing.T) {
	for i := range len(ready) - 1 {
		if _, err := parseEvent([]byte(ready[:i])); !errors.Is(err, errIncomplete) {
			t.Fatalf("%q: got %v", ready[:i], err)
		}
	}
	if _, err := parseEvent([]byte(ready)); err != nil {
		t.Error(err)
	}
}

// A barrier among a thousand has this to do when the gate opens.
func BenchmarkRelease(b *testing.B) {
	var workers []string
	for i := range 1000 {
		workers = append(workers, fmt.Sprintf("10.0.%d.%d", i/250, i%250))
	}
	stream := `{"type":"ADDED","object":` + sample(nil, workers) + "}\n"
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	dir := b.TempDir()
	for b.Loop() {
		err := readEvents(strings.NewReader(stream), func(e event) error {
			f, err := e.framework()
			if err != nil {
				return err
			}
			return writeFiles(dir, f)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
