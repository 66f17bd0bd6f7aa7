package controller

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// itemValues gives the first role these items, as many Tasks, and a template that names an item.
func itemValues(values ...string) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].TaskNumber, s.TaskRoles[0].Items = v1.AllItems, &v1.ItemsSpec{}
		for _, value := range values {
			s.TaskRoles[0].Items.Values = append(s.TaskRoles[0].Items.Values, v1.ItemValue{RawMessage: json.RawMessage(value)})
		}
	}
}

// itemsAt takes the items of the first role of a ConfigMap.
func itemsAt(name string) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].TaskNumber = v1.AllItems
		s.TaskRoles[0].Items = &v1.ItemsSpec{ConfigMapKeyRef: &v1.ItemsKeyRef{Name: name, Key: "list"}}
	}
}

func itemList(name string, lines ...string) *unstructured.Unstructured {
	o := stranger(name)
	o.Object["data"] = map[string]any{"list": strings.Join(lines, "\n") + "\n"}
	return o
}

// itemOf returns the item in the environment of a Pod; empty if there is no such Pod.
func (w *world) itemOf(pod string) string {
	o := w.Get(apitest.Pods, pod)
	if o == nil {
		return ""
	}
	containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "containers")
	env, _, _ := unstructured.NestedSlice(containers[0].(map[string]any), "env")
	for _, v := range env {
		if v := v.(map[string]any); v["name"] == v1.KeyTaskItem {
			return fmt.Sprint(v["value"])
		}
	}
	return ""
}

func (w *world) hasItem(pod, item string) {
	w.t.Helper()
	w.eventually(pod+" has "+item, func() bool { return w.itemOf(pod) == item })
}

// Each Pod gets its item; an appended one is one more Task.
func TestItemsInTheSpec(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", itemValues(`"x"`, `{"lr":0.1}`))
	w.hasItem("a-w-0", "x")
	w.hasItem("a-w-1", `{"lr":0.1}`)
	w.respec("a", itemValues(`"x"`, `{"lr":0.1}`, `3`))
	w.hasItem("a-w-2", "3")
}

// A rescale to more Tasks than there are items gets as many as there are, and a warning. Another item is one more.
func TestItemsTooFewForARescale(t *testing.T) {
	t.Parallel()
	scaled := func(number int32, values ...string) func(*v1.FrameworkSpec) {
		return func(s *v1.FrameworkSpec) {
			itemValues(values...)(s)
			s.TaskRoles[0].TaskNumber = number
		}
	}
	w := startWorld(t)
	w.create("a", scaled(2, `"x"`, `"y"`))
	w.hasItem("a-w-1", "y")
	w.respec("a", scaled(5, `"x"`, `"y"`))
	w.eventually("the warning", func() bool { return w.warnings("a")["ItemsTooFew"] == 1 })
	w.respec("a", scaled(5, `"x"`, `"y"`, `"z"`))
	w.hasItem("a-w-2", "z")
	w.requireRequests("create pods", 3)
	if n := w.status("a").Tasks.Total; n != 3 {
		t.Errorf("there are %d Tasks", n)
	}
	w.RunPod("a-w-0")
	w.RunPod("a-w-1")
	w.RunPod("a-w-2")
	w.reaches("a", v1.AttemptRunning)
}

// A Framework does not begin with items that make no sense, and says which field is wrong.
func TestItemsThatCannotBe(t *testing.T) {
	t.Parallel()
	for want, edit := range map[string]func(*v1.FrameworkSpec){
		`taskRoles[0].items: values[1] has the keys "a-b" and "a.b"`: itemValues(`1`, `{"a-b":1,"a.b":2}`),
		"taskRoles[0].items: values[0] is a list or null":            itemValues(`null`),
		"taskRoles[0].taskNumber is 3, but there are only 2 items;":  func(s *v1.FrameworkSpec) { itemValues(`1`, `2`)(s); s.TaskRoles[0].TaskNumber = 3 },
	} {
		w := startWorld(t)
		w.create("a", edit)
		w.eventually(want, func() bool { return strings.Contains(w.invalid("a").Message, want) })
	}
}

// An attempt waits for its ConfigMap, and goes on with what was in it then, even if that changes; but not after a restart, as nobody knows
// it then.
func TestItemsInAConfigMap(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", itemsAt("params"), taskRetries(5))
		w.waitsFor("a", "ItemsNotReady", "ConfigMap params does not exist")
		w.Create(apitest.ConfigMaps, itemList("params", `"x"`, `"y`))
		w.eventually("the wrong line", func() bool {
			return strings.Contains(w.waiting("a").Message, "key list of ConfigMap params: line 2 is not JSON")
		})
		w.Set(apitest.ConfigMaps, "params", "\"x\"\n\"y\"\n", "data", "list")
		w.hasItem("a-w-1", "y")
		w.RunPod("a-w-0")
		w.RunPod("a-w-1")
		w.reaches("a", v1.AttemptRunning)

		w.Set(apitest.ConfigMaps, "params", "\"x\"\n\"z\"\n\"v\"\n", "data", "list")
		time.Sleep(time.Minute)
		w.eventually("the warning", func() bool { return w.warnings("a")["ItemsEdited"] == 1 })
		w.EndPod("a-w-1", 9)
		w.eventually("the next attempt", func() bool { return w.task("a", "w", 1).AttemptStatus.ID == 1 })
		w.hasItem("a-w-1", "y")
		w.RunPod("a-w-1")

		w.restart()
		w.EndPod("a-w-1", 9)
		w.waitsFor("a", "ItemsChanged", "restore them")
		if w.Get(apitest.Pods, "a-w-1") != nil {
			t := w.t
			t.Errorf("there is a Pod with %q", w.itemOf("a-w-1"))
		}
		w.Set(apitest.ConfigMaps, "params", "\"x\"\n\"y\"\n\"v\"\n", "data", "list")
		w.hasItem("a-w-1", "y")
		w.hasItem("a-w-2", "v")
		w.notWaiting("a")
	})
}

// A list that stays as it is is read once a minute, and costs nothing else.
func TestItemsAreReadFromTimeToTime(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.Create(apitest.ConfigMaps, itemList("params", `"x"`))
		w.create("a", itemsAt("params"))
		w.hasItem("a-w-0", "x")
		w.RunPod("a-w-0")
		w.reaches("a", v1.AttemptRunning)
		written := len(w.Requests("update frameworks/status"))
		read := len(w.Requests("get configmaps"))
		time.Sleep(10*time.Minute + time.Second)
		if n := len(w.Requests("get configmaps")) - read; n < 9 || n > 11 {
			t.Errorf("it was read %d times in 10 minutes", n)
		}
		if n := len(w.Requests("update frameworks/status")) - written; n > 0 {
			t.Errorf("the status was written %d times", n)
		}
	})
}

// The warning of an edit names the way out, unless another attempt could not begin.
func TestEditedSince(t *testing.T) {
	listOf := func(text string) *items.List {
		l, err := items.FromLines(text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	began := listOf("1\n2\n")
	wayOut := "; this attempt keeps its items; to begin another one with the new items, suspend and resume the Framework"
	for name, test := range map[string]struct {
		view lifecycle.ItemsView
		want string
	}{
		"the same":        {lifecycle.ItemsView{List: began}, ""},
		"appended":        {lifecycle.ItemsView{List: listOf("1\n2\n3\n"), Held: began}, ""},
		"changed":         {lifecycle.ItemsView{List: listOf("1\n3\n"), Held: began}, "item 1 was changed" + wayOut},
		"removed":         {lifecycle.ItemsView{List: listOf("1\n"), Held: began}, "item 1 and those after it were removed" + wayOut},
		"after a restart": {lifecycle.ItemsView{List: listOf("1\n3\n")}, "an item among the first 2 was changed or removed" + wayOut},
		"unreadable":      {lifecycle.ItemsView{Held: began, Problem: "ConfigMap list does not exist; create it"}, "ConfigMap list does not exist; create it; this attempt keeps its items"},
	} {
		if got := editedSince(&test.view, began.Status()); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
