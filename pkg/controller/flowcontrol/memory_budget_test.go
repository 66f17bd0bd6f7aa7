package flowcontrol

import (
	"strings"
	"testing"

	"k8s.io/client-go/tools/cache"
)

const mebi = 1 << 20

func TestMemoryBudget(t *testing.T) {
	t.Parallel()
	a, b, other := cache.NewObjectName("n", "a"), cache.NewObjectName("n", "b"), cache.NewObjectName("m", "a")
	budget := NewMemoryBudget(MemoryLimits{Framework: 100 * mebi, Namespace: 150 * mebi})
	admit := func(key cache.ObjectName, own, pods int64, refusedFor string) {
		t.Helper()
		own, pods = own*mebi, pods*mebi
		fits := budget.Fits(key, own, pods)
		err := budget.Admit(key, own, pods)
		if (err == nil) != (refusedFor == "") || err != nil && !strings.Contains(err.Error(), refusedFor) || fits != (err == nil) {
			t.Errorf("%s with %d and %d: %v, fits: %v; want %q", key, own, pods, err, fits, refusedFor)
		}
	}
	admit(a, 50, 51, "frameworkMemoryLimit")
	admit(a, 50, 50, "")
	admit(b, 51, 0, "namespaceMemoryLimit")
	admit(b, 50, 0, "")
	admit(other, 100, 0, "")
	admit(a, 60, 30, "")       // smaller
	budget.AddPods(a, 30*mebi) // within the expectation
	admit(b, 60, 0, "")
	budget.AddPods(a, 40*mebi) // more than expected
	if err := budget.Exceeded(a); err == nil || !strings.Contains(err.Error(), "frameworkMemoryLimit") {
		t.Errorf("a has passed its bound: %v", err)
	}
	if err := budget.Exceeded(b); err == nil || !strings.Contains(err.Error(), "namespace n ") {
		t.Errorf("the namespace has passed its bound: %v", err)
	}
	if err := budget.Exceeded(other); err != nil {
		t.Error(err)
	}
	admit(a, 50, 0, "") // it may always shrink
	budget.AddPods(a, -70*mebi)
	if err := budget.Admit(other, 100*mebi+growthSlack, 0); err != nil {
		t.Errorf("some bytes more: %v", err)
	}
	if err := budget.Admit(other, 100*mebi+2*growthSlack+1, 0); err == nil {
		t.Error("many bytes more are admitted")
	}
	for _, key := range []cache.ObjectName{a, b, other} {
		budget.Set(key, 0, 0)
	}
	if len(budget.frameworks)+len(budget.namespaces) > 0 {
		t.Errorf("%v and %v are left", budget.frameworks, budget.namespaces)
	}
	var unbounded MemoryBudget
	if err := unbounded.Admit(a, 1<<60, 1<<60); err != nil {
		t.Error(err)
	}
}
