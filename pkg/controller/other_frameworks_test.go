package controller

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
)

func startAfter(other string, when v1.StartWhen) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].StartAfter = []v1.StartAfterSpec{{Framework: other, When: when}}
	}
}

func (w *world) waitsSaying(framework, words string) {
	w.t.Helper()
	w.eventually(words, func() bool {
		c := meta.FindStatusCondition(w.status(framework).Conditions, v1.ConditionWaiting)
		return c != nil && c.Status == metav1.ConditionTrue && c.Reason+" "+c.Message == words
	})
}

// A Framework starts when another one has succeeded. Neither a restart of the controller nor the deletion of the other undoes that.
func TestStartAfterAnotherFramework(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("b", startAfter("a", v1.StartSucceeded), taskRetries(1))
	w.reaches("b", v1.AttemptPreparing)
	w.create("a")
	w.waitsSaying("b", "StartsLater role w has no Pods yet: it starts after Framework a has succeeded")
	w.restart()
	w.eventually("a Pod", func() bool { return w.Get(apitest.Pods, "a-w-0") != nil })
	w.requireRequests("create pods", 1)
	w.RunPod("a-w-0")
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	w.eventually("the Pod after it", func() bool { return w.Get(apitest.Pods, "b-w-0") != nil })
	if s := w.status("b").StartedAfter; len(s) != 1 || s[0].Framework != "a" || s[0].UID == "" || s[0].Outcome != v1.CompletionSucceeded {
		t.Errorf("the status has %+v", s)
	}
	w.Delete(apitest.Frameworks, "a")
	w.restart()
	w.RunPod("b-w-0")
	w.EndPod("b-w-0", 1)
	w.eventually("the retry", func() bool { return w.task("b", "w", 0).AttemptStatus.ID == 1 && w.Get(apitest.Pods, "b-w-0") != nil })
	w.RunPod("b-w-0")
	w.EndPod("b-w-0", 0)
	w.reaches("b", v1.Completed)
	w.requireCode("b", 0)
}

// Success that is needed and did not come is told, and comes with another Framework of the name. Completion is enough for others.
func TestStartAfterAFailedFramework(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("b", startAfter("a", v1.StartSucceeded))
	w.create("c", startAfter("a", v1.StartCompleted))
	w.create("a")
	w.eventually("a Pod", func() bool { return w.Get(apitest.Pods, "a-w-0") != nil })
	w.RunPod("a-w-0")
	w.EndPod("a-w-0", 9)
	w.eventually("the Pod of the one that is content", func() bool { return w.Get(apitest.Pods, "c-w-0") != nil })
	w.waitsSaying("b", "StartBlocked role w has no Pods: it starts after Framework a, which has failed, and success is needed; "+
		"create it anew, accept its failure with when: Completed, or take it out of startAfter")
	w.Delete(apitest.Frameworks, "a")
	w.eventually("its end", func() bool { return w.Get(apitest.Frameworks, "a") == nil && w.Get(apitest.Pods, "a-w-0") == nil })
	w.create("a")
	w.eventually("another Pod", func() bool { return w.Get(apitest.Pods, "a-w-0") != nil })
	w.RunPod("a-w-0")
	w.EndPod("a-w-0", 0)
	w.eventually("the Pod after success", func() bool { return w.Get(apitest.Pods, "b-w-0") != nil })
}

// Frameworks that wait for each other are told so, and go on when one of them no longer does.
func TestFrameworksInACircle(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	for name, after := range map[string]string{"a": "b", "b": "c", "c": "a"} {
		w.create(name, startAfter(after, v1.StartCompleted))
	}
	w.waitsSaying("b", "StartBlocked role w has no Pods: Frameworks start after each other in a circle, b after c, c after a, a after b; "+
		"take one of these out of taskRoles[].startAfter")
	w.waitsSaying("a", "StartBlocked role w has no Pods: Frameworks start after each other in a circle, a after b, b after c, c after a; "+
		"take one of these out of taskRoles[].startAfter")
	w.respec("c")
	w.waitsSaying("a", "StartsLater role w has no Pods yet: it starts after Framework b has completed")
	for _, name := range []string{"c", "b", "a"} {
		pod := name + "-w-0"
		w.eventually(pod, func() bool { return w.Get(apitest.Pods, pod) != nil })
		w.RunPod(pod)
		w.EndPod(pod, 0)
		w.reaches(name, v1.Completed)
		w.requireCode(name, 0)
	}
}

// others without a controller.
type lonely struct {
	*others
	uids  map[string]types.UID
	woken map[string]int
}

func newLonely() *lonely {
	l := &lonely{uids: map[string]types.UID{}, woken: map[string]int{}}
	known := func(key cache.ObjectName) metav1.Object {
		if l.uids[key.Name] == "" {
			return nil
		}
		return &metav1.ObjectMeta{UID: l.uids[key.Name]}
	}
	l.others = newOthers(known, func(key cache.ObjectName, _ event) { l.woken[key.Name]++ })
	return l
}

// wakes returns who was woken since it was last called.
func (l *lonely) wakes() []string {
	defer clear(l.woken)
	return slices.Sorted(maps.Keys(l.woken))
}

func ns(name string) cache.ObjectName { return cache.NewObjectName("ns", name) }

func TestOthers(t *testing.T) {
	t.Parallel()
	l := newLonely()
	expect := func(what string, want ...string) {
		t.Helper()
		if got := l.wakes(); !slices.Equal(got, want) {
			t.Errorf("%s wakes %v, not %v", what, got, want)
		}
	}
	sees := func(who, other string, want gates.Other) {
		t.Helper()
		if seen, _ := l.await(ns(who), []string{other}); seen[other] != want {
			t.Errorf("%s sees %+v, not %+v", who, seen[other], want)
		}
	}
	succeeded := gates.Other{UID: "1", Outcome: v1.CompletionSucceeded}
	sees("b", "a", gates.Other{})
	l.changed(ns("other"))
	l.tell(ns("other"), succeeded)
	expect("what nobody waits for")
	l.uids["a"] = "1"
	l.changed(ns("a"))
	expect("creation", "b")
	sees("b", "a", gates.Other{UID: "1"})
	expect("a question", "a")
	l.tell(ns("a"), gates.Other{UID: "1"})
	expect("no news")
	sees("b", "a", gates.Other{UID: "1"})
	expect("what is known")
	sees("c", "a", gates.Other{UID: "1"})
	l.tell(ns("a"), succeeded)
	expect("an end", "b", "c")
	l.tell(ns("a"), succeeded)
	expect("the same end")
	sees("b", "a", succeeded)
	delete(l.uids, "a")
	sees("b", "a", succeeded)
	l.uids["a"] = "2"
	sees("b", "a", gates.Other{UID: "2"})
	expect("another Framework", "a")
	l.await(ns("b"), nil)
	l.await(ns("c"), nil)
	if len(l.byKey) != 0 {
		t.Errorf("%d entries are left", len(l.byKey))
	}
}

// A circle is found by whoever closes it, all in it are told, and so they are when it opens.
func TestOthersInACircle(t *testing.T) {
	t.Parallel()
	l := newLonely()
	after := map[string][]string{"a": {"b"}, "b": {"c", "d"}, "d": {"d"}, "c": {"a"}}
	told := map[string][]string{}
	round := func(who string) { _, told[who] = l.await(ns(who), after[who]) }
	settle := func(want map[string][]string) {
		t.Helper()
		for rounds := 0; len(l.woken) > 0; rounds++ {
			if rounds > 10 {
				t.Fatal("they wake each other again and again")
			}
			for _, who := range l.wakes() {
				round(who)
			}
		}
		if !maps.EqualFunc(told, want, slices.Equal) {
			t.Errorf("told is %v, not %v", told, want)
		}
	}
	for _, who := range []string{"a", "b", "d"} {
		round(who)
	}
	settle(map[string][]string{"a": nil, "b": nil, "d": {"d"}})
	round("c")
	settle(map[string][]string{"a": {"a", "b", "c"}, "b": {"b", "c", "a"}, "c": {"c", "a", "b"}, "d": {"d"}})
	after["c"] = nil
	round("c")
	settle(map[string][]string{"a": nil, "b": nil, "c": nil, "d": {"d"}})
}

// A chain of many Frameworks costs each of them little, in any order, and an end wakes only the next.
func TestManyOthers(t *testing.T) {
	t.Parallel()
	const many = 5000
	l := newLonely()
	name := func(i int) string { return fmt.Sprint("f", i) }
	for i := range many {
		l.uids[name(i)] = types.UID(name(i))
	}
	for i := many - 1; i > 0; i-- {
		l.await(ns(name(i)), []string{name(i - 1)})
	}
	l.wakes()
	l.tell(ns(name(7)), gates.Other{UID: "f7", Outcome: v1.CompletionFailed})
	if got := l.wakes(); !slices.Equal(got, []string{name(8)}) {
		t.Errorf("woken are %v", got)
	}
}
