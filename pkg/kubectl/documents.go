package kubectl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// located is an object of a file, or the error in its place, with its position.
type located struct {
	file     string // empty if there is only one file
	document int    // counted from 1
	item     int    // position in a list, from 1; 0 outside lists
	object   map[string]any
	err      error
}

// String returns the name of the object for messages.
func (l located) String() string {
	where := fmt.Sprintf("document %d", l.document)
	if l.file != "" {
		where = l.file + ": " + where
	}
	if l.item > 0 {
		where += fmt.Sprintf(", item %d", l.item)
	}
	kind, _ := l.object["kind"].(string)
	metadata, _ := l.object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if what := strings.TrimSpace(kind + " " + name); what != "" {
		where += " (" + what + ")"
	}
	return where
}

// objectsIn returns the objects of all documents; lists are expanded. Empty documents yield no object, but are counted.
func objectsIn(text []byte) (all []located) {
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		switch {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			return append(all, located{document: number, err: err})
		}
		all = append(all, objectsOf(document, number)...)
	}
}

func objectsOf(document []byte, number int) []located {
	var value any
	if err := yaml.UnmarshalStrict(document, &value); err != nil {
		return []located{{document: number, err: err}}
	}
	if value == nil {
		return nil
	}
	object, ok := value.(map[string]any)
	if !ok {
		return []located{{document: number, err: fmt.Errorf("it is not an object with apiVersion and kind")}}
	}
	kind, _ := object["kind"].(string)
	items, isList := object["items"].([]any)
	if !strings.HasSuffix(kind, "List") || !isList {
		return []located{{document: number, object: object, err: unnamedKind(object)}}
	}
	var all []located
	for i, item := range items {
		object, ok := item.(map[string]any)
		found := located{document: number, item: i + 1, object: object, err: unnamedKind(object)}
		if !ok {
			found.err = errors.New("it is not an object")
		}
		all = append(all, found)
	}
	return all
}

// unnamedKind is the error of an object without apiVersion or kind.
func unnamedKind(object map[string]any) error {
	for _, key := range []string{"apiVersion", "kind"} {
		if text, _ := object[key].(string); text == "" {
			return fmt.Errorf("%s: is missing", key)
		}
	}
	return nil
}
