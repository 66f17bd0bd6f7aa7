package config

import (
	"gopkg.in/yaml.v3"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Bytes is a number of bytes, written as in Kubernetes: 512Mi, 2G, 1000000.
type Bytes int64

func (b Bytes) String() string { return resource.NewQuantity(int64(b), resource.BinarySI).String() }

// UnmarshalYAML implements yaml.Unmarshaler.
func (b *Bytes) UnmarshalYAML(n *yaml.Node) error {
	q, err := resource.ParseQuantity(n.Value)
	whole := *resource.NewQuantity(q.Value(), resource.BinarySI) // rounded, and at most the largest int64
	if n.Kind != yaml.ScalarNode || err != nil || q.Cmp(whole) != 0 {
		return wrongTypeError(n, "config.Bytes")
	}
	*b = Bytes(whole.Value())
	return nil
}

// MarshalYAML implements yaml.Marshaler.
func (b Bytes) MarshalYAML() (any, error) { return b.String(), nil }
