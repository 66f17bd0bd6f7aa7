package controller

import (
	"strings"
	"testing"

	"k8s.io/client-go/tools/cache"
)

const mebi = 1 << 20

func TestHoldings(t *testing.T) {
	t.Parallel()
	a, b, other := cache.NewObjectName("n", "a"), cache.NewObjectName("n", "b"), cache.NewObjectName("m", "a")
	h := holdings{limits: MemoryLimits{Framework: 100 * mebi, Namespace: 150 * mebi}}
	admit := func(key cache.ObjectName, own, pods int64, refusedFor string) {
		t.Helper()
		own, pods = own*mebi, pods*mebi
		fits := h.fits(key, own, pods)
		err := h.admit(key, own, pods)
		if (err == nil) != (refusedFor == "") || err != nil && !strings.Contains(err.Error(), refusedFor) || fits != (err == nil) {
			t.Errorf("%s with %d and %d: %v, fits: %v; want %q", key, own, pods, err, fits, refusedFor)
		}
	}
	admit(a, 50, 51, "frameworkMemoryLimit")
	admit(a, 50, 50, "")
	admit(b, 51, 0, "namespaceMemoryLimit")
	admit(b, 50, 0, "")
	admit(other, 100, 0, "")
	admit(a, 60, 30, "")  // smaller
	h.addPods(a, 30*mebi) // as expected
	admit(b, 60, 0, "")
	h.addPods(a, 40*mebi) // more than expected
	if err := h.full(a); err == nil || !strings.Contains(err.Error(), "frameworkMemoryLimit") {
		t.Errorf("a has passed its bound: %v", err)
	}
	if err := h.full(b); err == nil || !strings.Contains(err.Error(), "namespace n ") {
		t.Errorf("the namespace has passed its bound: %v", err)
	}
	if err := h.full(other); err != nil {
		t.Error(err)
	}
	admit(a, 50, 0, "") // it may always shrink
	h.addPods(a, -70*mebi)
	if err := h.admit(other, 100*mebi+slack, 0); err != nil {
		t.Errorf("some bytes more: %v", err)
	}
	if err := h.admit(other, 100*mebi+2*slack+1, 0); err == nil {
		t.Error("many bytes more are admitted")
	}
	for _, key := range []cache.ObjectName{a, b, other} {
		h.set(key, 0, 0)
	}
	if len(h.frameworks)+len(h.namespaces) > 0 {
		t.Errorf("%v and %v are left", h.frameworks, h.namespaces)
	}
	var unbounded holdings
	if err := unbounded.admit(a, 1<<60, 1<<60); err != nil {
		t.Error(err)
	}
}
