package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// document records the line of each key of the file, so that a mistake can name both.
type document []entry

// entry is one value of the file: its full key, such as podFailureSpec[3].code, and its line.
type entry struct {
	key  string
	line int
	node *yaml.Node
}

// parseDocument reads the syntax. Besides bad syntax, it refuses documents that decoding would silently change or could
// not survive: a second document, empty entries in lists of mappings, and keys that are mappings or lists.
func parseDocument(data []byte) (document, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var root, second yaml.Node
	err := d.Decode(&root)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		err = d.Decode(&second)
	}
	if err == nil {
		return nil, fmt.Errorf("line %d: a second YAML document, but only one is read: remove it", second.Line)
	}
	if !errors.Is(err, io.EOF) {
		return nil, syntaxError(err, data)
	}
	doc := entries("", root.Content[0])
	found := complexKeys("", root.Content[0])
	for _, e := range doc {
		found = append(found, complexKeys(e.key, e.node)...)
	}
	return doc, append(found, doc.emptyEntries()...).orNil()
}

// complexKeys reports the keys in one mapping that are mappings or lists. The decoder panics if it merges others with
// them.
func complexKeys(outer string, n *yaml.Node) mistakes {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	var found mistakes
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.ScalarNode || key.Kind == yaml.AliasNode && key.Alias.Kind == yaml.ScalarNode {
			continue
		}
		where := fmt.Sprintf("line %d: ", key.Line)
		if outer != "" {
			where += outer + ": "
		}
		found = append(found, where+"a mapping or a list cannot be a key: put it in quotes if it is text")
	}
	return found
}

func syntaxError(err error, data []byte) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
			return fmt.Errorf("%s (line %d begins with a tab, but YAML needs spaces)", text, i+1)
		}
	}
	return errors.New(text)
}

// entries lists all values below n in file order, outer before inner. Aliases are not followed.
func entries(key string, n *yaml.Node) document {
	var doc document
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			doc = doc.add(joinKey(key, n.Content[i].Value), n.Content[i].Line, n.Content[i+1])
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			doc = doc.add(fmt.Sprintf("%s[%d]", key, i), item.Line, item)
		}
	}
	return doc
}

func (d document) add(key string, line int, n *yaml.Node) document {
	return append(append(d, entry{key, line, n}), entries(key, n)...)
}

func joinKey(outer, inner string) string {
	if outer == "" {
		return inner
	}
	return outer + "." + inner
}

var listEntry = regexp.MustCompile(`^(podFailureSpec|plugins)\[\d+\]$`)

func (d document) emptyEntries() mistakes {
	var found mistakes
	for _, e := range d {
		if listEntry.MatchString(e.key) && e.node.Tag == "!!null" {
			found = append(found, e.key+": is empty: remove it")
		}
	}
	return d.locate(found)
}

// locate prefixes each mistake with the line of its key, or of the nearest key around it.
func (d document) locate(found mistakes) mistakes {
	located := make(mistakes, len(found))
	for i, m := range found {
		located[i] = m
		key, _, _ := strings.Cut(m, ": ")
		if line := d.line(key); line > 0 {
			located[i] = fmt.Sprintf("line %d: %s", line, m)
		}
	}
	return located
}

// line returns 0 if neither the key nor any key around it is in the file.
func (d document) line(key string) int {
	for key != "" {
		i := slices.IndexFunc(d, func(e entry) bool { return e.key == key })
		if i >= 0 {
			return d[i].line
		}
		key = key[:max(0, strings.LastIndexAny(key, ".["))]
	}
	return 0
}
