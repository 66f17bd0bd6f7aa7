package plugin_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

var rewrite = flag.Bool("rewrite", false, "add fields that testdata/fields.txt does not have, with the minor version of today")

// A file records the minor version of each field of the contract, and make generate derives the table of the manual from it: a new field
// needs a new minor version.
func TestFieldsHaveMinorVersions(t *testing.T) {
	const file = "testdata/fields.txt"
	text, err := os.ReadFile(file)
	if err != nil && !*rewrite {
		t.Fatal(err)
	}
	known, last := map[string]int{}, 0
	for line := range strings.Lines(string(text)) {
		var minor int
		var name string
		if _, err := fmt.Sscanf(line, "%d %s", &minor, &name); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		known[name], last = minor, max(last, minor)
	}
	var lines []string
	for _, name := range fields(pluginpb.File_pkg_plugin_pluginpb_plugin_proto.Messages()) {
		minor, found := known[name]
		if !found {
			minor = plugin.Minor
		}
		if !found && !*rewrite {
			t.Errorf("%s is in no minor version: raise plugin.Minor, and run this test with -rewrite", name)
		}
		lines = append(lines, fmt.Sprintf("%d %s\n", minor, name))
		delete(known, name)
	}
	if len(known) > 0 {
		t.Errorf("they are gone: %v", known)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if last != plugin.Minor {
		t.Errorf("the last fields came with %d, but Minor is %d", last, plugin.Minor)
	}
}

func fields(messages protoreflect.MessageDescriptors) (names []string) {
	for i := range messages.Len() {
		m := messages.Get(i)
		for j := range m.Fields().Len() {
			names = append(names, fmt.Sprintf("%s.%s", m.Name(), m.Fields().Get(j).Name()))
		}
	}
	slices.Sort(names)
	return names
}

// Both sides state their minor version; one that states none has 0.
func TestMinorVersionsAreTold(t *testing.T) {
	for _, minor := range []int32{0, 1, 1000} {
		told := int32(-1)
		conn := plugintest.InProcess(func() plugin.Plugin { return plugin.Plugin{ControllerMinor: func(minor int32) { told = minor }} })(t)
		described, err := pluginpb.NewPluginClient(conn).Describe(t.Context(), &pluginpb.DescribeRequest{Minor: minor})
		if err != nil || described.GetMinor() != plugin.Minor || told != minor {
			t.Errorf("minor version %d: %v, %v; the plugin was told %d", minor, described, err, told)
		}
	}
}
