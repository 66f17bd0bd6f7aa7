package parameters

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"
)

func TestOverlay(t *testing.T) {
	s := func(m map[string]any) *structpb.Struct {
		if m == nil {
			return nil
		}
		out, err := structpb.NewStruct(m)
		require.NoError(t, err)
		return out
	}
	nested := func(v any) map[string]any { return map[string]any{"roles": map[string]any{"worker": v}} }
	tests := []struct {
		name             string
		base, over, want map[string]any
	}{
		{"nothing", nil, nil, nil},
		{"only the configuration", map[string]any{"a": "1"}, nil, map[string]any{"a": "1"}},
		{"only the Framework", nil, map[string]any{"a": "1"}, map[string]any{"a": "1"}},
		{"key by key", map[string]any{"a": "1", "b": "1"}, map[string]any{"b": "2", "c": "2"}, map[string]any{"a": "1", "b": "2", "c": "2"}},
		{"only at the top", nested("1"), nested("2"), nested("2")},
	}
	for _, test := range tests {
		base := s(test.base)
		if got := Overlay(base, s(test.over)).AsMap(); !reflect.DeepEqual(got, s(test.want).AsMap()) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		if !reflect.DeepEqual(base.AsMap(), s(test.base).AsMap()) {
			t.Errorf("%s: the configuration was changed to %v", test.name, base)
		}
	}
}
