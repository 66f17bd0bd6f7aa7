package items

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Item is the value for one Task. The zero value is the empty string.
type Item struct {
	text   string
	object bool
}

// Variable is a variable of the environment.
type Variable struct{ Name, Value string }

// String returns the value as the environment has it: a string without quotes, anything else as JSON.
func (i Item) String() string { return i.text }

// Variables returns the variables for the item: one with the whole value, and then one for each key of an object, in its order.
func (i Item) Variables() []Variable {
	out := []Variable{{v1.KeyTaskItem, i.text}}
	if !i.object {
		return out
	}
	_ = eachKey([]byte(i.text), func(key string, value json.RawMessage) error {
		text, err := textOf(value)
		out = append(out, Variable{NameOf(key), text})
		return err
	})
	return out
}

// NameOf returns the name of the variable for a key: in upper case, with _ for all but letters of English and digits.
func NameOf(key string) string {
	return v1.KeyTaskItem + "_" + strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z':
			return c - 'a' + 'A'
		case 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			return c
		}
		return '_'
	}, key)
}

// parse reads an item. Its error continues the name of its place.
func parse(text []byte) (Item, error) {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) > v1.MaxItemBytes:
		return Item{}, fmt.Errorf("has %d bytes; at most %d are allowed", len(text), v1.MaxItemBytes)
	case !json.Valid(text):
		return Item{}, fmt.Errorf("is not JSON: %w", json.Unmarshal(text, new(any)))
	case text[0] == '[' || text[0] == 'n':
		return Item{}, errors.New("is a list or null; it must be a string, a number, a boolean or an object")
	case text[0] != '{':
		value, err := textOf(text)
		return Item{text: value}, err
	}
	return Item{text: compact(text), object: true}, checkKeys(text)
}

// checkKeys refuses keys of which one would hide another.
func checkKeys(object []byte) error {
	keys := map[string]string{}
	return eachKey(object, func(key string, value json.RawMessage) error {
		name := NameOf(key)
		before, taken := keys[name]
		switch {
		case key == "":
			return errors.New("has an empty key")
		case taken && before == key:
			return fmt.Errorf("has the key %.63q twice", key)
		case taken:
			return fmt.Errorf("has the keys %.63q and %.63q, which would both become %.80s", before, key, name)
		}
		keys[name] = key
		_, err := textOf(value)
		return err
	})
}

// eachKey calls do for each key of an object, until it returns an error. The object must be valid JSON.
func eachKey(object []byte, do func(key string, value json.RawMessage) error) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if err := do(key.(string), value); err != nil {
			return err
		}
	}
	return nil
}

// textOf is a value as the environment has it. null is the empty text.
func textOf(value json.RawMessage) (string, error) {
	switch value[0] {
	case 'n':
		return "", nil
	case '"':
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return "", err
		}
		if strings.ContainsRune(text, 0) {
			return "", errors.New("has a NUL character, which an environment cannot hold")
		}
		return text, nil
	}
	return compact(value), nil
}
