package parameters

import (
	"maps"

	"google.golang.org/protobuf/types/known/structpb"
)

// Overlay returns base with the keys of over in place of its own. Neither is changed; both may be nil.
func Overlay(base, over *structpb.Struct) *structpb.Struct {
	if len(over.GetFields()) == 0 {
		return base
	}
	fields := maps.Clone(base.GetFields())
	if fields == nil {
		fields = map[string]*structpb.Value{}
	}
	maps.Copy(fields, over.GetFields())
	return &structpb.Struct{Fields: fields}
}
