package plugin

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"
)

type limits struct {
	Pods  int32 `json:"pods"`
	Nodes int32 `json:"nodes"`
}

type decoded struct {
	Name   string            `json:"name"`
	Limits limits            `json:"limits"`
	Roles  map[string]limits `json:"roles"`
	List   []limits          `json:"list"`
	Any    any               `json:"any"`
}

func TestDecode(t *testing.T) {
	m := func(key string, value any) map[string]any { return map[string]any{key: value} }
	defaults := decoded{Name: "default", Limits: limits{Pods: 1, Nodes: 2}}
	with := func(change func(*decoded)) decoded {
		out := defaults
		change(&out)
		return out
	}
	tests := []struct {
		name    string
		given   map[string]any
		want    decoded
		mistake string
	}{
		{"nothing", nil, defaults, ""},
		{"a name", m("name", "n"), with(func(d *decoded) { d.Name = "n" }), ""},
		{"in part", m("limits", m("pods", 7)), with(func(d *decoded) { d.Limits.Pods = 7 }), ""},
		{"null", m("limits", nil), defaults, ""},
		{"a whole number", m("any", 7), with(func(d *decoded) { d.Any = int64(7) }), ""},
		{"misspelt", m("nam", "n"), decoded{}, `parameters: unknown field "nam"`},
		{"in another case", m("Name", "n"), decoded{}, `parameters: unknown field "Name"`},
		{"in another case, in a struct", m("limits", m("Pods", 7)), decoded{}, `parameters: unknown field "limits.Pods"`},
		{"in another case, in a map", m("roles", m("Worker", m("PODS", 7))), decoded{}, `parameters: unknown field "roles.Worker.PODS"`},
		{"in another case, in a list", m("list", []any{m("Pods", 7)}), decoded{}, `parameters: unknown field "list[0].Pods"`},
		{"of another type", m("limits", m("pods", "x")), decoded{},
			"parameters: json: cannot unmarshal string into Go struct field limits.limits.pods of type int32"},
	}
	for _, test := range tests {
		s, err := structpb.NewStruct(test.given)
		require.NoError(t, err)
		got := defaults
		switch err := Decode(s, &got); {
		case test.mistake == "" && (err != nil || !reflect.DeepEqual(got, test.want)):
			t.Errorf("%s: %+v %v, want %+v", test.name, got, err, test.want)
		case test.mistake != "" && (err == nil || err.Error() != test.mistake):
			t.Errorf("%s: %v, want %s", test.name, err, test.mistake)
		}
	}
}
