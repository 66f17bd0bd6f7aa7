package answers

import (
	"slices"
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func TestCheckStored(t *testing.T) {
	q := &pluginpb.StoreRequest{Records: []*pluginpb.Record{{Key: "a"}, {Key: "b"}, {Key: "c"}, {Key: "b"}}}
	tests := []struct {
		name   string
		answer *pluginpb.StoreResponse
		want   []string
		wrong  string
	}{
		{"no answer", nil, nil, ""},
		{"no key", &pluginpb.StoreResponse{}, nil, ""},
		{"all, in another order", &pluginpb.StoreResponse{Keys: []string{"c", "b", "a"}}, []string{"a", "b", "c"}, ""},
		{"one twice", &pluginpb.StoreResponse{Keys: []string{"b", "b"}}, []string{"b"}, ""},
		{"a stranger's", &pluginpb.StoreResponse{Keys: []string{"a", "d"}}, nil, `acknowledges the key "d", which was not in the request`},
		{"an empty one", &pluginpb.StoreResponse{Keys: []string{""}}, nil, `the key ""`},
		{"an endless one", &pluginpb.StoreResponse{Keys: []string{strings.Repeat("x", 1000)}}, nil, "xxx"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := CheckStored(q, tt.answer)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) || len(err.Error()) > 250 {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if err != nil || !slices.Equal(got.GetKeys(), tt.want) {
				t.Errorf("got %q, %v; want %q", got.GetKeys(), err, tt.want)
			}
		})
	}
}
