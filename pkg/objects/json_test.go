package objects_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// decode reads one JSON value and keeps numbers unchanged.
func decode(data []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	return value, nil
}

func parse(t testing.TB, data []byte) map[string]any {
	t.Helper()
	value, err := decode(data)
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return value.(map[string]any)
}

// diff fails unless the two are equal, numbers digit by digit.
func diff(t testing.TB, got, want any) {
	t.Helper()
	// Indenting deeply nested values takes seconds.
	if string(compact(t, got)) != string(compact(t, want)) {
		t.Errorf("got\n%s\nwant\n%s", indent(t, got), indent(t, want))
	}
}

func compact(t testing.TB, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return text
}

func indent(t testing.TB, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	require.NoError(t, err)
	return string(text)
}

// at follows keys and list positions into a value; nil if there is no such place.
func at(value any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			fields, _ := value.(map[string]any)
			value = fields[s]
		case int:
			list, _ := value.([]any)
			if s >= len(list) {
				return nil
			}
			value = list[s]
		}
	}
	return value
}
