package controller

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// Creations that wait for their turn have no copy of the template each: 10,000 of them would need more memory than the
// controller has.
func TestQueuedCreationsTakeNoMemory(t *testing.T) {
	const tasksNumber, templateBytes = 1000, 100 << 10
	w := newWorld(t)
	w.start()
	before := heapBytes()
	large := strings.Repeat("x", templateBytes)
	hold := make(chan struct{})
	for i := 1; i < tasksNumber; i++ { // but for the first, which all others wait for
		w.Inject(fmt.Sprintf("create pods a-w-%d", i), apitest.Always, apitest.Fault{Wait: hold, Drop: true})
	}
	w.create("a", tasks(tasksNumber), template(`{"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "none", "args": ["`+large+`"]}]}}`))
	w.eventually("all are queued", func() bool { return w.c.Load().Queued >= tasksNumber-100 })
	after := heapBytes()
	w.Heal()
	close(hold)
	w.stop()
	if most := uint64(tasksNumber * templateBytes / 2); after > before+most {
		t.Errorf("%d MiB more than before", (after-before)>>20)
	}
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
