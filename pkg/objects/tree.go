package objects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A tree is a JSON value: map[string]any, []any, string, json.Number, bool or nil.

// parseTree reads JSON as a tree; an empty text is nil.
func parseTree(text []byte) (tree any, err error) {
	if len(text) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON value")
	}
	return tree, nil
}

// writeTree is the inverse of parseTree. It does not escape "<" and the like.
func writeTree(tree any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(tree); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// object is an object in a tree and the path to it, for error messages.
type object struct {
	path   string
	fields map[string]any
}

// asObject reads null as an empty object, as Kubernetes does.
func asObject(value any, path string) (object, error) {
	switch v := value.(type) {
	case nil:
		return object{path, map[string]any{}}, nil
	case map[string]any:
		return object{path, v}, nil
	}
	return object{}, wrongKind(path, "an object", value)
}

// object returns the object under key, adding an empty one if it is missing.
func (o object) object(key string) (object, error) {
	child, err := asObject(o.fields[key], o.path+"."+key)
	if err != nil {
		return object{}, err
	}
	o.fields[key] = child.fields
	return child, nil
}

// list returns the list under key; nil if it is missing.
func (o object) list(key string) ([]any, error) {
	switch v := o.fields[key].(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	}
	return nil, wrongKind(o.path+"."+key, "a list", o.fields[key])
}

// wrongKind is for values other than null, which is never wrong.
func wrongKind(path, want string, value any) error {
	return fmt.Errorf("%s: must be %s, not %s", path, want, kindOf(value))
}

func kindOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	return "a number"
}
