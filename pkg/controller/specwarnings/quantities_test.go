package specwarnings

import (
	"runtime"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Warnings about a template parse no quantity: these few bytes would take as much as the exponent says.
func TestWarningsParseNoQuantities(t *testing.T) {
	const resources = `{"limits":{"cpu":"1e-10000000"},"requests":{"cpu":1e10000000}}`
	for name, spec := range map[string]string{
		"container":  `"containers":[{"resources":` + resources + `}]`,
		"init":       `"initContainers":[{"resources":` + resources + `}]`,
		"overhead":   `"overhead":{"cpu":"1e-10000000"}`,
		"of the Pod": `"resources":` + resources,
	} {
		role := &v1.TaskRoleSpec{Name: "w", TaskNumber: 1, Task: v1.TaskSpec{Pod: v1.PodTemplate(`{"spec":{` + spec + `}}`)}}
		if taken := allocated(func() { Find(strings.Repeat("f", 63), &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{*role}}) }); taken > 1<<20 {
			t.Errorf("%s: it takes %d bytes", name, taken)
		}
	}
}

// allocated returns the memory that f allocates, including memory freed meanwhile.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
