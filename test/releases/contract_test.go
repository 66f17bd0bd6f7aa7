package releases

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// contractLosses lists the messages, fields, values and calls of the earlier contract that the later one has no longer.
func contractLosses(earlier, later *descriptorpb.FileDescriptorProto) []string {
	var found []string
	before, now := elements(earlier), elements(later)
	for name, form := range before {
		switch {
		case now[name] == "":
			found = append(found, name+" is gone")
		case now[name] != form:
			found = append(found, fmt.Sprintf("%s was %s and is %s", name, form, now[name]))
		}
	}
	slices.Sort(found)
	return found
}

// elements are all names of a contract, each with the properties on which others rely.
func elements(f *descriptorpb.FileDescriptorProto) map[string]string {
	all := map[string]string{}
	for _, m := range f.MessageType {
		addMessage(all, f.GetPackage(), m)
	}
	for _, e := range f.EnumType {
		addEnum(all, f.GetPackage(), e)
	}
	for _, s := range f.Service {
		for _, m := range s.Method {
			all[f.GetPackage()+"."+s.GetName()+"."+m.GetName()] = fmt.Sprintf("a call from %s to %s", m.GetInputType(), m.GetOutputType())
		}
	}
	return all
}

func addMessage(all map[string]string, parent string, m *descriptorpb.DescriptorProto) {
	name := parent + "." + m.GetName()
	all[name] = "a message"
	for _, f := range m.Field {
		all[name+"."+f.GetName()] = fmt.Sprintf("field %d, %s %s %s", f.GetNumber(), f.GetLabel(), f.GetType(), f.GetTypeName())
	}
	for _, nested := range m.NestedType {
		addMessage(all, name, nested)
	}
	for _, e := range m.EnumType {
		addEnum(all, name, e)
	}
}

func addEnum(all map[string]string, parent string, e *descriptorpb.EnumDescriptorProto) {
	for _, v := range e.Value {
		all[parent+"."+e.GetName()+"."+v.GetName()] = fmt.Sprintf("value %d", v.GetNumber())
	}
}

func TestContractLosses(t *testing.T) {
	contract := func(fields ...*descriptorpb.FieldDescriptorProto) *descriptorpb.FileDescriptorProto {
		return &descriptorpb.FileDescriptorProto{Package: proto.String("p"), MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("M"), Field: fields}}}
	}
	field := func(name string, number int32) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{Name: proto.String(name), Number: proto.Int32(number)}
	}
	before := contract(field("a", 1), field("b", 2))
	require.Empty(t, contractLosses(before, contract(field("a", 1), field("b", 2), field("c", 3))))
	got := contractLosses(before, contract(field("a", 3)))
	require.Len(t, got, 2)
	require.Contains(t, got[0], "p.M.a was field 1, ")
	require.Equal(t, "p.M.b is gone", got[1])
}
