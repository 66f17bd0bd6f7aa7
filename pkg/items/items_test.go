package items_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
)

func values(texts ...string) (out []v1.ItemValue) {
	for _, text := range texts {
		out = append(out, v1.ItemValue{RawMessage: json.RawMessage(text)})
	}
	return out
}

// Each kind of value has its variables.
func TestVariables(t *testing.T) {
	for text, want := range map[string][]items.Variable{
		`"a b"`: {{"FC_TASK_ITEM", "a b"}},
		`1.50`:  {{"FC_TASK_ITEM", "1.50"}},
		`true`:  {{"FC_TASK_ITEM", "true"}},
		`{"lr": 0.1, "Out-dir": "/x", "l": [1, 2], "n": null}`: {
			{"FC_TASK_ITEM", `{"lr":0.1,"Out-dir":"/x","l":[1,2],"n":null}`},
			{"FC_TASK_ITEM_LR", "0.1"}, {"FC_TASK_ITEM_OUT_DIR", "/x"}, {"FC_TASK_ITEM_L", "[1,2]"}, {"FC_TASK_ITEM_N", ""},
		},
	} {
		list, err := items.FromValues(values(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := list.At(0).Variables(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// A mistake is named with its line.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"\n":                                    "there are none",
		"1\n\n\"x":                              "line 3 is not JSON",
		"null":                                  "line 1 is a list or null",
		"[1]":                                   "line 1 is a list or null",
		`{"a":1,"a":2}`:                         `line 1 has the key "a" twice`,
		`{"a":1,"A":2}`:                         "which would both become FC_TASK_ITEM_A",
		`{"":1}`:                                "has an empty key",
		`"\u0000"`:                              "has a NUL character",
		strings.Repeat("1\n", 20_001):           "there are more than 20000",
		strings.Repeat(" ", 1<<20+1):            "they have 1048577 bytes",
		`"` + strings.Repeat("x", 64<<10) + `"`: "line 1 has 65538 bytes",
	} {
		if _, err := items.FromLines(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
	}
}

// A list begins with the stored one if nothing in it was changed, moved or removed, wherever the items come from.
func TestBeginsWith(t *testing.T) {
	stored := func(text string) *v1.ItemsStatus {
		list, err := items.FromLines(text)
		if err != nil {
			t.Fatal(err)
		}
		return list.Status()
	}
	list, err := items.FromValues(values(`"a"`, `{"k":1}`, `3`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"\"a\"": true, "\"a\"\n{\"k\": 1}": true, "\"a\"\n{\"k\":1}\n3": true,
		"\"a\"\n{\"k\":1}\n3\n4": false, "{\"k\":1}\n\"a\"": false, "\"a\"\n\"{\\\"k\\\":1}\"": false, "\"b\"": false,
	} {
		if got := list.BeginsWith(stored(text)); got != want {
			t.Errorf("%q: got %t", text, got)
		}
	}
	var unknown *items.List
	if unknown.BeginsWith(stored("1")) || unknown.Number() != 0 {
		t.Error("an unknown list begins with one")
	}
	other, _ := items.FromLines("\"a\"\n{\"k\":2}")
	if first := list.FirstChange(other); first != 1 {
		t.Errorf("the first change is %d", first)
	}
}
