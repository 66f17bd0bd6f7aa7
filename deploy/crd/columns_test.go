package crd

import (
	"testing"

	"k8s.io/client-go/util/jsonpath"
)

// Of all Frameworks in a list those stand out that wait, with what they wait for. That others did once is not shown.
func TestColumnOfWaiting(t *testing.T) {
	condition := func(kind, status, reason, message string) any {
		return map[string]any{"type": kind, "status": status, "reason": reason, "message": message}
	}
	completed := condition("Completed", "True", "Failed", "Nine, code 9")
	for what, test := range map[string]struct {
		status any
		want   string
	}{
		"no status":     {nil, ""},
		"no conditions": {map[string]any{}, ""},
		"waited never":  {conditions(completed), ""},
		"waits":         {conditions(completed, condition("Waiting", "True", "Unschedulable", "no node was found")), "no node was found"},
		"waits no more": {conditions(condition("Waiting", "False", "NothingInTheWay", ""), completed), ""},
		"is left alone": {conditions(condition("StatusInvalid", "True", "SpecInvalid", "no roles")), ""},
	} {
		t.Run(what, func(t *testing.T) {
			if got := cell(t, "Waiting", map[string]any{"status": test.status}); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Those that are suspended are told from those that wait, and from those that were suspended once.
func TestColumnOfSuspended(t *testing.T) {
	for what, test := range map[string]struct {
		status any
		want   string
	}{
		"never":    {map[string]any{}, ""},
		"is":       {conditions(map[string]any{"type": "Suspended", "status": "True"}, map[string]any{"type": "Waiting", "status": "False"}), "True"},
		"was once": {conditions(map[string]any{"type": "Suspended", "status": "False"}), "False"},
	} {
		if got := cell(t, "Suspended", map[string]any{"status": test.status}); got != test.want {
			t.Errorf("%s: got %q, want %q", what, got, test.want)
		}
	}
}

// Of several nodes that are avoided, the API server shows the first.
func TestColumnOfAvoidedNodes(t *testing.T) {
	node := func(name string) any { return map[string]any{"name": name, "mode": "Prefer"} }
	for what, test := range map[string]struct {
		status any
		want   string
	}{
		"none": {map[string]any{}, ""},
		"two":  {map[string]any{"avoidedNodes": []any{node("a"), node("b")}}, "a"},
	} {
		if got := cell(t, "Avoided", map[string]any{"status": test.status}); got != test.want {
			t.Errorf("%s: got %q, want %q", what, got, test.want)
		}
	}
}

func conditions(list ...any) map[string]any { return map[string]any{"conditions": list} }

// cell is what the API server answers for a column of an object: its first result, and nothing for what is missing.
func cell(t *testing.T, name string, object map[string]any) any {
	t.Helper()
	for _, c := range decode(t).Spec.Versions[0].Columns {
		if c.Name != name {
			continue
		}
		path := jsonpath.New(name).AllowMissingKeys(true)
		if err := path.Parse("{" + c.JSONPath + "}"); err != nil {
			t.Fatal(err)
		}
		found, err := path.FindResults(object)
		if err != nil || len(found) == 0 || len(found[0]) == 0 {
			return ""
		}
		return found[0][0].Interface()
	}
	t.Fatalf("there is no column %s", name)
	return nil
}
