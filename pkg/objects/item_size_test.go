package objects_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// withItem is a Task with an item in JSON.
func withItem(t *testing.T, text string) objects.Task {
	list, err := items.FromLines(text)
	if err != nil {
		t.Fatal(err)
	}
	item, task := list.At(0), demoTask
	task.Item = &item
	return task
}

// repeated is a text made n times, with the number in it.
func repeated(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}

// A template may name an item of 60 KB thousands of times. The Pod is refused, but not made before.
func TestItemsManyTimes(t *testing.T) {
	task := withItem(t, `"`+strings.Repeat("x", 60_000)+`"`)
	for where, template := range map[string]string{
		"in a text":     `{"spec":{"nodeName":"` + repeated(2000, "%d{{FC_TASK_ITEM}}") + `"}}`,
		"in a quantity": `{"spec":{"overhead":{"cpu":"` + repeated(2000, "%d{{FC_TASK_ITEM}}") + `"}}}`,
		"in keys":       `{"metadata":{"labels":{"a":""` + repeated(2000, `,"%d{{FC_TASK_ITEM}}":""`) + `}}}`,
	} {
		b := objects.NewPodBuilder("w", v1.PodTemplate(template))
		var err error
		if took := allocated(func() { _, err = b.Build(task) }); err == nil || took > 20<<20 {
			t.Errorf("%s: took %d MiB: %v", where, took>>20, err)
		}
	}
}

// A template may name thousands of keys of an item that has as many.
func TestItemsWithManyKeys(t *testing.T) {
	const many = 5000
	task := withItem(t, `{"k":0`+repeated(many, `,"k%d":1`)+`}`)
	template := `{"metadata":{"annotations":{"a":"` + repeated(many, "{{FC_TASK_ITEM_K%d}}") + `"}}}`
	start := time.Now()
	b := objects.NewPodBuilder("w", v1.PodTemplate(template))
	for range 10 {
		if _, err := b.Build(task); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("10 Pods took %s", took)
	}
}

// The item counts in the cost of a Pod, also where keys vary.
func TestCostOfItems(t *testing.T) {
	task := withItem(t, `"`+strings.Repeat("x", 60_000)+`"`)
	for _, key := range []string{"a", "{{FC_TASK_INDEX}}"} {
		b := objects.NewPodBuilder("w", v1.PodTemplate(`{"metadata":{"labels":{"`+key+`":"b"}},"spec":{"containers":[{"name":"c"}]}}`))
		body, err := b.Build(task)
		if err != nil {
			t.Fatal(err)
		}
		if cost := b.Cost(task); cost < len(body)/2 {
			t.Errorf("key %s: a Pod of %d bytes costs %d", key, len(body), cost)
		}
	}
}
