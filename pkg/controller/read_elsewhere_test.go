package controller

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

func managedBy(who string) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.ManagedBy = who }
}

// about returns the requests that have to do with a Framework, its objects and its events, but for reads of lists.
func (w *world) about(name string) (found []string) {
	for _, q := range w.Requests("*") {
		if strings.Contains(q.String(), name) {
			found = append(found, q.String())
		}
	}
	return found
}

// A Framework of another controller is read once, and then left alone, whatever happens to it. Other Frameworks continue.
func TestManagedElsewhere(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.tampered = true // it has a status of another controller
	w.create("others", managedBy("kueue.x-k8s.io/multikueue"))
	w.requested("get frameworks others", 1)
	w.Edit(apitest.Frameworks, "others", func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(o.Object, "AttemptRunning", "status", "state")
	})
	w.Edit(apitest.Frameworks, "others", func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(o.Object, "Stop", "spec", "executionType")
		o.SetGeneration(o.GetGeneration() + 1)
	})
	w.running("ours")
	w.never("it is looked at again", func() bool { return len(w.about("others")) > 1 })
	w.restart()
	w.requested("get frameworks others", 2)
	w.Delete(apitest.Frameworks, "others")
	w.EndPod("ours-w-0", 0)
	w.reaches("ours", v1.Completed)
	if got := w.about("others"); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

// A Framework that names this controller, or none, is ours; so is a Framework that replaces another controller's.
func TestManagedByThis(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", managedBy(v1.ManagedByThis))
	w.create("b", managedBy("example.com/other"))
	w.requested("get frameworks b", 1)
	w.Vanish(apitest.Frameworks, "b")
	w.running("b")
}

func TestManagedElsewhereByItsSpec(t *testing.T) {
	for spec, want := range map[string]bool{
		`{}`:                  false,
		`{"managedBy": ""}`:   false,
		`{"managedBy": null}`: false,
		`{"managedBy": "` + v1.ManagedByThis + `"}`:               false,
		`{"managedBy": "example.com/x"}`:                          true,
		`{"managedBy": "example.com/x", "taskRoles": "nonsense"}`: true,
		`{"managedBy": 5}`:                                        false,
		`[]`:                                                      false,
		``:                                                        false,
	} {
		if got := managedElsewhere([]byte(spec)); got != want {
			t.Errorf("%s: got %v", spec, got)
		}
	}
}
