package config

import (
	"math"

	"gopkg.in/yaml.v3"
)

// Parameters are the parameters of a plugin, in the types of JSON; nil if there are none.
type Parameters map[string]any

// UnmarshalYAML implements yaml.Unmarshaler.
func (p *Parameters) UnmarshalYAML(n *yaml.Node) error {
	if err := asJSON(n, map[*yaml.Node]bool{}); err != nil {
		return err
	}
	return n.Decode((*map[string]any)(p))
}

// asJSON turns YAML values that JSON lacks into text: keys that are numbers, and dates. It refuses numbers whose value
// would change on the way to the plugin.
func asJSON(n *yaml.Node, seen map[*yaml.Node]bool) error {
	if n == nil || seen[n] {
		return nil
	}
	seen[n] = true
	switch n.Kind {
	case yaml.ScalarNode:
		return scalarAsJSON(n)
	case yaml.AliasNode:
		return asJSON(n.Alias, seen)
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind == yaml.ScalarNode {
			keyAsJSON(child)
			continue
		}
		if err := asJSON(child, seen); err != nil {
			return err
		}
	}
	return nil
}

func keyAsJSON(n *yaml.Node) {
	if n.ShortTag() != "!!merge" {
		n.Tag = "!!str"
	}
}

func scalarAsJSON(n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!timestamp":
		n.Tag = "!!str"
	case "!!int", "!!float":
		var f float64
		if err := n.Decode(&f); err != nil || math.IsNaN(f) || math.IsInf(f, 0) || isInexact(n, f) {
			return wrongTypeError(n, "config.jsonNumber")
		}
	}
	return nil
}

// isInexact reports whether a whole number may change as a float64, the type in which it reaches the plugin.
func isInexact(n *yaml.Node, f float64) bool {
	if n.ShortTag() != "!!int" {
		return false
	}
	return math.Abs(f) >= 1<<53
}
