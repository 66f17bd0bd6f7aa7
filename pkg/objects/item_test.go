package objects_test

import (
	"encoding/json"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// An item is in the environment, where the kubelet replaces nothing in it, and in place of placeholders, in values and in keys. It is no
// template itself.
func TestItemOfAPod(t *testing.T) {
	list, err := items.FromLines(`{"lr": "$(HOME) \"{{FC_TASK_INDEX}}\""}` + "\n1")
	if err != nil {
		t.Fatal(err)
	}
	template := v1.PodTemplate(`{"metadata":{"annotations":{"a-{{FC_TASK_ITEM_LR}}":"{{FC_TASK_ITEM}}"}},"spec":{"containers":[{"name":"c","args":["{{FC_TASK_ITEM_LR}}"]}]}}`)
	builder := objects.NewPodBuilder("w", template)
	task := objects.Task{Framework: objects.Owner{Namespace: "n", Name: "f"}, RoleName: "w"}
	body, err := builder.Build(task)
	if err != nil || !strings.Contains(string(body), `"args":["{{FC_TASK_ITEM_LR}}"]`) {
		t.Errorf("without items: %v: %s", err, body)
	}
	item := list.At(0)
	task.Item = &item
	if body, err = builder.Build(task); err != nil || !json.Valid(body) {
		t.Fatalf("%v: %s", err, body)
	}
	for _, want := range []string{
		`"args":["$(HOME) \"{{FC_TASK_INDEX}}\""]`, `{"name":"FC_TASK_ITEM_LR","value":"$$(HOME) \"{{FC_TASK_INDEX}}\""}`,
		`"a-$(HOME) \"{{FC_TASK_INDEX}}\"":`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("got %s, want %s", body, want)
		}
	}
	item = list.At(1)
	if _, err = builder.Build(task); err == nil || !strings.Contains(err.Error(), "{{FC_TASK_ITEM_LR}}, and item 0 of the role has no such key") {
		t.Errorf("got %v", err)
	}
}
