package controller

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// invalid returns the stored condition StatusInvalid; its zero value if there is none.
func (w *world) invalid(framework string) metav1.Condition {
	if c := meta.FindStatusCondition(w.status(framework).Conditions, v1.ConditionStatusInvalid); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// The condition of an invalid Framework has the generation of the spec, or kubectl would wait for ever, and a start time; a
// restarted controller does not write it again.
func TestInvalidSince(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(v1.MaxTasks+1))
	w.conditionBecomes("a", v1.ConditionStatusInvalid, "True because SpecInvalid")
	if got := w.invalid("a").ObservedGeneration; got != 1 {
		t.Errorf("the generation is %d", got)
	}
	w.stop()
	since := metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
	condition := w.invalid("a")
	condition.LastTransitionTime = since
	w.Set(apitest.Frameworks, "a", []any{asTree(t, condition).Object}, "status", "conditions")
	patches := len(w.Requests("patch frameworks/status"))

	w.start()
	w.running("b")
	w.never("it is stored again", func() bool { return len(w.Requests("patch frameworks/status")) != patches })

	w.respec("a", tasks(v1.MaxTasks+2))
	w.eventually("it is said of the new spec", func() bool { return w.invalid("a").ObservedGeneration == 2 })
	if got := w.invalid("a").LastTransitionTime; !got.Equal(&since) {
		t.Errorf("it holds since %s, not %s", got, since)
	}
	w.respec("a")
	w.reaches("a", v1.AttemptPreparing)
	w.requireNotInvalid("a")
}
