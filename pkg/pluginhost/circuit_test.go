package pluginhost

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

func TestCircuitStates(t *testing.T) {
	var c circuit
	now, n := time.Now(), 0
	f := &Fault{Message: "m"}
	fail := func() bool { n++; return c.fail(ofPlugin, f, fmt.Sprint(n), false, now) }
	for range circuitFaults - 1 {
		if fail() || !c.allow(now) {
			t.Fatal("open too early")
		}
	}
	if !fail() || c.allow(now) {
		t.Fatal("not open")
	}
	if fail() {
		t.Error("a late fault opens it again")
	}
	now = now.Add(ofPlugin.first)
	if !c.allow(now) || c.allow(now) {
		t.Fatal("not exactly one question tries")
	}
	c.cancel()
	if !c.allow(now) || !fail() || c.allow(now.Add(ofPlugin.first)) || !c.allow(now.Add(2*ofPlugin.first)) {
		t.Error("does not double")
	}
	for range 10 {
		fail()
		now = now.Add(time.Hour)
		c.allow(now)
	}
	if c.opening != ofPlugin.most {
		t.Errorf("open for %s", c.opening)
	}
	c.succeed()
	if c.open || c.faults > 0 || c.opening > 0 || !c.allow(now) {
		t.Error("not closed")
	}
}

// The circuit of a plugin opens only for faults of several namespaces, the circuit of a namespace only for faults of several Frameworks.
func TestFaultsOfOneOwner(t *testing.T) {
	for _, l := range []limits{ofNamespace, ofPlugin} {
		var c circuit
		now, f := time.Now(), &Fault{}
		for range 3 * circuitFaults {
			if c.fail(l, f, "a", false, now) {
				t.Fatal("one owner opens it")
			}
		}
		for i := range l.from - 1 {
			if opened := c.fail(l, f, fmt.Sprint(i), false, now); opened != (i == l.from-2) {
				t.Errorf("with %d: %t", i+2, opened)
			}
		}
	}
}

// Answers to others of the same owner do not make up for ends of the process.
func TestEndsAreRemembered(t *testing.T) {
	var c circuit
	now, f := time.Now(), &Fault{}
	for i := range ofNamespace.ends {
		c.succeed()
		if opened := c.fail(ofNamespace, f, "a", true, now); opened != (i == ofNamespace.ends-1) {
			t.Fatalf("after %d ends: %t", i+1, opened)
		}
	}
	now = now.Add(ofNamespace.first)
	if !c.allow(now) {
		t.Fatal("nothing tries")
	}
	c.succeed()
	if !c.fail(ofNamespace, f, "a", true, now) || c.opening != 2*ofNamespace.first {
		t.Error("it does not open again, and for longer, at the next end")
	}
}

func TestCircuitsAreBounded(t *testing.T) {
	var c circuits
	now, f := time.Now(), &Fault{}
	for i := range 3 * mostCircuits {
		c.fail(owner{fmt.Sprint("n", i), "f"}, f, true, now.Add(time.Duration(i)))
	}
	if n := len(c.known); n > mostCircuits || c.known[owner{fmt.Sprint("n", 3*mostCircuits-1), "f"}] == nil {
		t.Errorf("%d circuits", n)
	}
	c.fail(owner{"a", "f"}, f, true, now.Add(2*circuitMemory))
	if len(c.known) != 2 {
		t.Errorf("%d circuits, and the others are old", len(c.known))
	}
	c = circuits{}
	c.fail(owner{"a", "f"}, f, false, now)
	c.succeed([]owner{{"a", "f"}})
	if len(c.known) > 0 {
		t.Errorf("after an answer: %v", c.known)
	}
}

func TestCommonOwner(t *testing.T) {
	af, ag, bf := owner{"a", "f"}, owner{"a", "g"}, owner{"b", "f"}
	for _, test := range []struct {
		owners []owner
		want   owner
		known  bool
	}{
		{nil, owner{}, false},
		{[]owner{af, af}, af, true},
		{[]owner{af, ag, af}, owner{"a", ""}, true},
		{[]owner{af, bf}, owner{}, false},
	} {
		if got, known := common(test.owners); !reflect.DeepEqual(got, test.want) || known != test.known {
			t.Errorf("%v: %v, %t", test.owners, got, known)
		}
	}
}
