package controller

import (
	"slices"
	"testing"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// A letter is a key, and a small one is unhurried until it is hurried.
type lanesTest struct {
	*lanes
	hurried map[string]bool
}

func newLanesTest() *lanesTest {
	l := &lanesTest{hurried: map[string]bool{}}
	l.lanes = newLanes(func(key cache.ObjectName) bool { return key.Name >= "a" && !l.hurried[key.Name] })
	return l
}

func (l *lanesTest) push(names ...string) {
	for _, name := range names {
		l.Push(cache.NewObjectName("", name))
	}
}

// hurry lets something happen with a key that is in a lane.
func (l *lanesTest) hurry(name string) {
	l.hurried[name] = true
	l.Touch(cache.NewObjectName("", name))
}

func (l *lanesTest) pop(n int) (names []string) {
	for range n {
		names = append(names, l.Pop().Name)
	}
	return names
}

func (l *lanesTest) require(t *testing.T, want ...string) {
	t.Helper()
	if l.Len() != len(want) {
		t.Errorf("there are %d keys, want %d", l.Len(), len(want))
	}
	if got := l.pop(l.Len()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLanes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fill func(*lanesTest)
		want []string
	}{
		"nothing":             {func(l *lanesTest) {}, nil},
		"slow only, in order": {func(l *lanesTest) { l.push("b", "a", "c") }, []string{"b", "a", "c"}},
		"fast ones overtake":  {func(l *lanesTest) { l.push("a", "b", "A", "B") }, []string{"A", "B", "a", "b"}},
		"slow ones do not starve": {
			func(l *lanesTest) { l.push("a", "b", "A", "B", "C", "D", "E", "F", "G") },
			[]string{"A", "B", "C", "a", "D", "E", "F", "b", "G"},
		},
		"one changes over": {func(l *lanesTest) { l.push("a", "b", "c"); l.hurry("c") }, []string{"c", "a", "b"}},
		"once":             {func(l *lanesTest) { l.push("a", "b"); l.hurry("b"); l.hurry("b") }, []string{"b", "a"}},
		"a touch without news": {
			func(l *lanesTest) { l.push("a", "b"); l.Touch(cache.NewObjectName("", "b")) }, []string{"a", "b"},
		},
		"one changes over and comes back": {
			func(l *lanesTest) {
				l.push("a", "b", "c")
				l.hurry("b")
				l.pop(1)
				l.hurried["b"] = false
				l.push("b")
			},
			[]string{"a", "b", "c"}, // in its old place
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLanesTest()
			test.fill(l)
			l.require(t, test.want...)
		})
	}
}

// The queue that they are in hands out what has come to be urgent before what was there earlier.
func TestLanesInTheirQueue(t *testing.T) {
	t.Parallel()
	l := newLanesTest()
	q := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[cache.ObjectName]{Queue: l.lanes})
	defer q.ShutDown()
	for _, name := range []string{"a", "b", "c"} {
		q.Add(cache.NewObjectName("", name))
	}
	l.hurried["c"] = true
	q.Add(cache.NewObjectName("", "c"))
	for _, want := range []string{"c", "a", "b"} {
		got, _ := q.Get()
		q.Done(got)
		if got.Name != want {
			t.Errorf("got %s, want %s", got.Name, want)
		}
	}
}
