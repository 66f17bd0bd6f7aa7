package objects_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// allocated returns how many bytes a function allocates, including bytes freed meanwhile.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// many is a template with a list of n equal things in its spec.
func many(field, thing string, n int) string {
	return `{"spec":{"` + field + `":[` + thing + strings.Repeat(","+thing, n-1) + `]}}`
}

// A template of empty containers is refused before anything large is built from it.
func TestTooManyContainers(t *testing.T) {
	for _, field := range []string{"containers", "initContainers"} {
		template := many(field, "{}", 400_000)
		var err error
		taken := allocated(func() { _, err = objects.NewPodBuilder("w", []byte(template)).Build(demoTask) })
		if err == nil || !strings.Contains(err.Error(), "has 400000 containers") || !strings.Contains(err.Error(), fmt.Sprint(objects.MaxPodBytes)) {
			t.Errorf("%s: got %v", field, err)
		}
		if taken > 100*uint64(len(template)) {
			t.Errorf("%s: %d bytes of memory for a template of %d", field, taken, len(template))
		}
	}
}

// Neither does a template grow that has as many containers as are let through, but in the Pod itself.
func TestBuilderIsAsSmallAsItsTemplate(t *testing.T) {
	template := many("containers", `{"name":"a"}`, objects.MaxContainers/2)
	var b *objects.PodBuilder
	taken := allocated(func() { b = objects.NewPodBuilder("w", []byte(template)) })
	if most := 150 * uint64(len(template)); taken > most {
		t.Errorf("%d bytes of memory for a template of %d", taken, len(template))
	}
	size, err := b.Size(demoTask)
	if err != nil || size < objects.MaxPodBytes/2 {
		t.Errorf("got %d, %v", size, err)
	}
	if taken := allocated(func() { _, _ = b.Size(demoTask) }); taken > 1<<16 {
		t.Errorf("%d bytes of memory to find out the size", taken)
	}
}

// A Pod of exactly the API server's maximum size is built, and a Pod one byte larger is not: the error says why.
func TestLargestPod(t *testing.T) {
	template := func(filling int) *objects.PodBuilder {
		return objects.NewPodBuilder("w", []byte(`{"spec":{"x":"`+strings.Repeat("x", filling)+`","containers":[{},{}]}}`))
	}
	empty, err := template(0).Size(demoTask)
	require.NoError(t, err)
	body, err := template(objects.MaxPodBytes - empty).Build(demoTask)
	if err != nil || len(body) != objects.MaxPodBytes {
		t.Errorf("got %d bytes, %v", len(body), err)
	}
	_, err = template(objects.MaxPodBytes - empty + 1).Build(demoTask)
	want := "spec.taskRoles[w].task.pod: the Pod would have 3145729 bytes, but the API server accepts at most 3145728; "
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "are the variables of the Task in its 2 containers") {
		t.Errorf("got %v", err)
	}
}

// Placeholders grow too: each may become a name of 63 characters, or two.
func TestManyPlaceholders(t *testing.T) {
	task := demoTask
	task.Framework.Name, task.RoleName = strings.Repeat("f", 63), strings.Repeat("w", 63)
	template := many("x", `"{{FC_POD_NAME}}"`, 30_000)
	var err error
	taken := allocated(func() { _, err = objects.NewPodBuilder("w", []byte(template)).Build(task) })
	if err == nil || !strings.Contains(err.Error(), "the Pod would have 39") || taken > 50*uint64(len(template)) {
		t.Errorf("got %v, with %d bytes of memory for a template of %d", err, taken, len(template))
	}
}

// Cost is at least half the size of the Pod, also where keys vary.
func TestCost(t *testing.T) {
	for _, template := range []string{benchmarkTemplate, strings.Replace(benchmarkTemplate, `"app"`, tokenInKey, 1), `{}`, ``,
		`{"metadata":{"labels":{` + tokenInKey + `:"` + strings.Repeat("x", 1000) + `"}}}`, many("containers", "{}", 100)} {
		b := objects.NewPodBuilder("w", []byte(template))
		body, err := b.Build(demoTask)
		require.NoError(t, err)
		if cost := b.Cost(demoTask); cost < len(body)/2 || cost > 100*len(body) {
			t.Errorf("a Pod of %d bytes is said to cost %d", len(body), cost)
		}
	}
	if cost := objects.NewPodBuilder("w", []byte(many("containers", "{}", 10_000))).Cost(demoTask); cost != 0 {
		t.Errorf("a Pod that is not built is said to cost %d", cost)
	}
}
