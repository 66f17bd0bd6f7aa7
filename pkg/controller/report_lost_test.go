package controller

import (
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// endings counts the attempts of Frameworks that have completed.
type endings struct {
	unobserved
	frameworks atomic.Int64
}

func (e *endings) AttemptCompleted(of Subject, _ *v1.CompletionStatus) {
	if of == OfFramework {
		e.frameworks.Add(1)
	}
}

// The answer to the status write that ends the Framework is lost. What there was to tell of it is told when it is found to
// be stored, and once.
func TestLostStatusAnswerLosesNoReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	told := &endings{}
	w.options.Observer = told
	w.start()
	w.running("a")
	var lost atomic.Bool
	w.Judge(func(q apitest.Request) apitest.Fault {
		state, _, _ := unstructured.NestedString(q.Body, "status", "state")
		if q.Verb == "update" && q.Resource == "frameworks/status" && state == string(v1.Completed) && lost.CompareAndSwap(false, true) {
			return apitest.LoseAnswer
		}
		return apitest.Fault{}
	})
	w.EndPod("a-w-0", 5)
	w.reaches("a", v1.Completed)
	completed := func() (n int) {
		for _, e := range w.List(apitest.Events) {
			if reason, _, _ := unstructured.NestedString(e.Object, "reason"); reason == "Completed" {
				n++
			}
		}
		return n
	}
	w.eventually("its end is told", func() bool { return completed() == 1 && told.frameworks.Load() == 1 })
	w.never("it is told again", func() bool { return completed() > 1 || told.frameworks.Load() > 1 })
	if !lost.Load() {
		t.Error("no answer was lost")
	}
}
