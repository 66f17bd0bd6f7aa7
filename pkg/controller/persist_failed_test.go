package controller

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// While writes fail, the stored status is read again and again, and compared with a growing list of statuses that may have been
// stored. It is decoded once for all of them.
func TestStoredStatusIsDecodedOnce(t *testing.T) { // not at the same time as others, which take memory too
	if underRace {
		t.Skip("the race detector takes memory, too, and not the same each time; make guard runs this without it")
	}
	status := &v1.FrameworkStatus{}
	status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "w"}}
	for i := range int32(1000) {
		task := v1.TaskStatus{Index: i}
		task.AttemptStatus.PodName = fmt.Sprintf("a-w-%d", i)
		status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses = append(status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses, task)
	}
	stored := apiserver.JSON(status)
	compare := func(writes int) uint64 {
		r := &record{}
		r.status.rewrite = true
		for range writes {
			r.status.noteUncertainWrite(writeOf(&lifecycle.State{}, time.Now()))
		}
		return allocated(func() { (&reader{}).reconcileStatus(r, stored) })
	}
	if one, twelve := compare(1), compare(12); twelve > 2*one {
		t.Errorf("%d bytes of memory for 12 writes, and %d for one", twelve, one)
	}
}

// allocated returns the memory that f allocates, including memory freed meanwhile.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A state that is written again and again is uncertain once. It is for as long as its last write may take.
func TestSameStateIsUncertainOnce(t *testing.T) {
	t.Parallel()
	r, same, now := &record{}, &lifecycle.State{}, time.Now()
	for i := range 3 {
		r.status.noteUncertainWrite(writeOf(same, now.Add(time.Duration(i)*time.Second)))
	}
	if len(r.status.uncertain) != 1 || !r.status.uncertain[0].at.Equal(now.Add(2*time.Second)) {
		t.Errorf("uncertain are %v", r.status.uncertain)
	}
	r.status.noteUncertainWrite(writeOf(&lifecycle.State{}, now))
	if len(r.status.uncertain) != 2 {
		t.Errorf("%d writes of two states", len(r.status.uncertain))
	}
}

// A status that is refused again and again does not fill the memory.
func TestOneDeclinedWriteIsUncertain(t *testing.T) {
	t.Parallel()
	r, now := &record{}, time.Now()
	r.status.noteUncertainWrite(writeOf(&lifecycle.State{}, now))
	for range 3 {
		next := writeOf(&lifecycle.State{}, now)
		next.declined = true
		r.status.noteUncertainWrite(next)
	}
	if len(r.status.uncertain) != 2 || r.status.uncertain[0].declined || !r.status.uncertain[1].declined {
		t.Errorf("uncertain are %v", r.status.uncertain)
	}
}

func writeOf(s *lifecycle.State, at time.Time) uncertainWrite {
	return uncertainWrite{out: lifecycle.Output{State: s}, at: at}
}

// The outcomes of two consecutive writes are unknown: the first takes effect late, the second never.
func TestTwoUncertainStatusWrites(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.endsWithLateWrite(apitest.Fault{Drop: true}, func() {})
}

// The second write takes effect although it is declined, as the client has sent it twice. It is not mistaken for somebody else's
// write because the first one is uncertain, too.
func TestDeclinedStatusWriteAfterAnUncertainOne(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(2))
	w.runs("a")
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	first, before := make(chan struct{}), len(w.Requests(statusWrites))
	w.Inject(statusWrites, 1, apitest.Fault{Wait: first, Drop: true})
	w.Inject(statusWrites, 1, apitest.Fault{Instead: apitest.Unreachable(1)})
	w.EndPod("a-w-0", 0)
	w.requested(statusWrites, before+1)
	w.EndPod("a-w-1", 0) // so that the second write differs
	w.eventually("its end is seen", func() bool {
		p := w.c.watches.cachedPod(apitest.Namespace, "a-w-1")
		return p == nil || podview.Ended(p.Status.Phase)
	})
	close(first)
	w.reaches("a", v1.Completed)
	w.requireNotOverwritten("a")
}
