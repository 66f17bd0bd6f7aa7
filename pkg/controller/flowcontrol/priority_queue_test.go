package flowcontrol

import (
	"slices"
	"testing"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// priorityTest is a queue whose keys are letters. A small letter has low priority until something happens with it.
type priorityTest struct {
	*PriorityQueue
	happened map[string]bool
}

func newPriorityTest() *priorityTest {
	q := &priorityTest{happened: map[string]bool{}}
	q.PriorityQueue = NewPriorityQueue(func(key cache.ObjectName) bool { return key.Name >= "a" && !q.happened[key.Name] })
	return q
}

func (q *priorityTest) push(names ...string) {
	for _, name := range names {
		q.Push(cache.NewObjectName("", name))
	}
}

// happen marks a key in the queue as urgent.
func (q *priorityTest) happen(name string) {
	q.happened[name] = true
	q.Touch(cache.NewObjectName("", name))
}

func (q *priorityTest) pop(n int) (names []string) {
	for range n {
		names = append(names, q.Pop().Name)
	}
	return names
}

func (q *priorityTest) require(t *testing.T, want ...string) {
	t.Helper()
	if q.Len() != len(want) {
		t.Errorf("there are %d keys, want %d", q.Len(), len(want))
	}
	if got := q.pop(q.Len()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPriorityQueue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fill func(*priorityTest)
		want []string
	}{
		"nothing":                     {func(q *priorityTest) {}, nil},
		"low priority only, in order": {func(q *priorityTest) { q.push("b", "a", "c") }, []string{"b", "a", "c"}},
		"high priority overtakes":     {func(q *priorityTest) { q.push("a", "b", "A", "B") }, []string{"A", "B", "a", "b"}},
		"low priority does not starve": {
			func(q *priorityTest) { q.push("a", "b", "A", "B", "C", "D", "E", "F", "G") },
			[]string{"A", "B", "C", "a", "D", "E", "F", "b", "G"},
		},
		"one changes over": {func(q *priorityTest) { q.push("a", "b", "c"); q.happen("c") }, []string{"c", "a", "b"}},
		"once":             {func(q *priorityTest) { q.push("a", "b"); q.happen("b"); q.happen("b") }, []string{"b", "a"}},
		"a touch without news": {
			func(q *priorityTest) { q.push("a", "b"); q.Touch(cache.NewObjectName("", "b")) }, []string{"a", "b"},
		},
		"one changes over and comes back": {
			func(q *priorityTest) {
				q.push("a", "b", "c")
				q.happen("b")
				q.pop(1)
				q.happened["b"] = false
				q.push("b")
			},
			[]string{"a", "b", "c"}, // in its old place
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newPriorityTest()
			test.fill(q)
			q.require(t, test.want...)
		})
	}
}

// A workqueue on top of it hands out keys that became urgent before earlier ones.
func TestPriorityInAWorkqueue(t *testing.T) {
	t.Parallel()
	q := newPriorityTest()
	w := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[cache.ObjectName]{Queue: q.PriorityQueue})
	defer w.ShutDown()
	for _, name := range []string{"a", "b", "c"} {
		w.Add(cache.NewObjectName("", name))
	}
	q.happened["c"] = true
	w.Add(cache.NewObjectName("", "c"))
	for _, want := range []string{"c", "a", "b"} {
		got, _ := w.Get()
		w.Done(got)
		if got.Name != want {
			t.Errorf("got %s, want %s", got.Name, want)
		}
	}
}
