package flowcontrol

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"
)

// Requests of a namespace run concurrently as long as they fit into its slots together, however large they are; requests of other
// namespaces do not wait for them.
func TestLargeRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ bytes, atATime int32 }{
		{0, slotsInTest},
		{bytesPerSlot - 1, slotsInTest},
		{bytesPerSlot, slotsInTest / 2},
		{100 * bytesPerSlot, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := NewPool()
			runPool(t, p, func() {
				var held, done atomic.Int32
				hold := make(chan struct{})
				for i := range 6 * slotsInTest {
					p.Submit(cache.NewObjectName("large", fmt.Sprint(i)), true, Job{
						Bytes: int(test.bytes), Wanted: func() bool { return true }, Do: func(context.Context) {
							held.Add(1)
							<-hold
							held.Add(-1)
							done.Add(1)
						}})
				}
				time.Sleep(10 * handoffAfter)
				synctest.Wait()
				if n := held.Load(); n != test.atATime {
					t.Errorf("%d requests of %d bytes are under way, want %d", n, test.bytes, test.atATime)
				}
				small := make(chan struct{})
				p.Submit(cache.NewObjectName("other", "f"), true, wantedJob(func(context.Context) { close(small) }))
				<-small
				close(hold)
				synctest.Wait()
				if n := done.Load(); n != 6*slotsInTest {
					t.Errorf("%d are done", n)
				}
			})
		})
	}
}
