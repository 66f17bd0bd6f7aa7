package controller

import (
	"context"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A bug that one Framework brings to light does not stop the others.
func TestPanicInARound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.errorsExpected = true
	w.options.Log = panickyLog{w.options.Log, "default/bad"}
	w.options.Workers = 1
	w.start()
	w.create("bad")
	w.running("a")
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	if lines := w.log.lines("panic"); len(lines) == 0 || !strings.Contains(lines[0], "default/bad") {
		t.Errorf("the log has %v", lines)
	}
}

// Nor does one in an action: it counts as failed, and is tried again.
func TestPanicInAnAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.errorsExpected = true
	w.start()
	g := &gate{}
	got := w.c.performGated(t.Context(), w.key("a"), g, func(context.Context) result { panic("a bug") })
	if got.err == nil || !got.transient() || g.opens().IsZero() {
		t.Errorf("the result is %+v, and the gate opens %v", got, g.opens())
	}
}
