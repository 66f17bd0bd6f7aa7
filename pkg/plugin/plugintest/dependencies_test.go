package plugintest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/frameworkcontroller/frameworkcontroller/"

// The packages with which authors test or build a plugin do not depend on the code that runs the controller's plugins.
func TestDependencies(t *testing.T) {
	suites := dependencies(t, ".")
	for _, want := range []string{"pkg/plugin", "pkg/plugin/answers"} {
		if !slices.Contains(suites, want) {
			t.Errorf("the suites do not depend on %s: %v", want, suites)
		}
	}
	for _, unwanted := range []string{"pkg/pluginhost", "pkg/consult", "pkg/config", "pkg/lifecycle", "pkg/controller"} {
		if slices.Contains(suites, unwanted) {
			t.Errorf("the suites depend on %s", unwanted)
		}
	}
	if got, want := dependencies(t, ".."), []string{"pkg/plugin", "pkg/plugin/pluginpb"}; !slices.Equal(got, want) {
		t.Errorf("package plugin depends on %v, want %v", got, want)
	}
}

// dependencies are the packages of this repository from which the package is built, including itself, sorted.
func dependencies(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var own []string
	for path := range strings.FieldsSeq(string(out)) {
		if rest, ok := strings.CutPrefix(path, module); ok {
			own = append(own, rest)
		}
	}
	slices.Sort(own)
	return own
}
