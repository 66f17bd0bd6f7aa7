package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// fussySink refuses calls that contain one of the keys.
type fussySink struct {
	*sink
	refuses string
}

func (s fussySink) Store(ctx context.Context, name string, records []*pluginpb.Record) (map[string]bool, pluginhost.Source, error) {
	for _, r := range records {
		if r.GetKey() == s.refuses {
			return nil, pluginhost.Source{}, errors.New("I do not like it")
		}
	}
	return s.sink.Store(ctx, name, records)
}

// sendMany makes an archiver send one record for each of n Frameworks with names of the given size, waits after calling then, and
// returns the counts.
func sendMany(t *testing.T, host consult.Host, n, size int, then func()) *tally {
	seen := &tally{}
	var underWay sync.WaitGroup
	a := &archiver{panel: consult.New(host, nil), reporter: &reporter{observer: seen}, log: hclog.NewNullLogger(), ctx: t.Context(),
		underWay: &underWay}
	for i := range n {
		r := &pluginpb.Record{Key: fmt.Sprint("key-", i)}
		if size > 0 {
			r.Framework = &pluginpb.Framework{Name: strings.Repeat("a", size)}
		}
		a.sendLater(cache.NewObjectName("default", fmt.Sprint(i)), []*pluginpb.Record{r})
	}
	then()
	underWay.Wait()
	require.Zero(t, a.outbox.bytes)
	require.Empty(t, a.outbox.letters)
	return seen
}

// The records of many Frameworks are sent in few calls, and the first does not wait for others.
func TestRecordsAreSentTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSink(t)
		seen := sendMany(t, s, 500, 0, func() {})
		require.Len(t, s.stored, 500)
		require.LessOrEqual(t, s.called(), 2)
		require.Zero(t, seen.of("1 records dropped"))
	})
}

// A record that a sink refuses costs no other.
func TestRefusedRecordCostsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSink(t)
		seen := sendMany(t, fussySink{s, "key-7"}, 20, 0, func() {})
		require.Len(t, s.stored, 19)
		require.Equal(t, 1, seen.of("1 records dropped"))
	})
}

// Letters beyond the limit are dropped and counted.
func TestTooManyRecordsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSink(t)
		late := s.holdNext()
		const size = 1 << 20
		seen := sendMany(t, s, outboxBytes/size+3, size, func() { close(late) })
		require.Len(t, s.stored, outboxBytes/size-1) // the rest of each record takes some room, too
		require.Equal(t, 4, seen.of("1 records dropped"))
	})
}

// Verdicts in shadow leave room for other records, and the ones that find none are dropped and counted.
func TestShadowsLeaveRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, seen := newSink(t), &tally{}
		late := s.holdNext()
		var underWay sync.WaitGroup
		a := &archiver{panel: consult.New(s, nil), reporter: &reporter{observer: seen}, log: hclog.NewNullLogger(), ctx: t.Context(), underWay: &underWay}
		const size = 1 << 20
		send := func(most, n int) {
			r := &pluginpb.Record{Key: fmt.Sprint("key-", n), Framework: &pluginpb.Framework{Name: strings.Repeat("a", size)}}
			a.sendWithin(most, cache.NewObjectName("default", "f"), []*pluginpb.Record{r})
		}
		for n := range shadowBytes/size + 3 {
			send(shadowBytes, n)
		}
		for n := range 10 {
			send(outboxBytes, 100+n)
		}
		close(late)
		underWay.Wait()
		require.Len(t, s.stored, shadowBytes/size-1+10) // the rest of each record takes some room, too
		require.Equal(t, 4, seen.of("1 records dropped"))
	})
}

// A record that is larger than the outbox is sent all the same if no other waits.
func TestLargeRecordIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSink(t)
		seen := sendMany(t, s, 1, outboxBytes+1, func() {})
		require.Len(t, s.stored, 1)
		require.Zero(t, seen.of("1 records dropped"))
	})
}

// If nothing waits for the records of a required sink, it still gets them as soon as it stores again.
func TestRecordsWaitForTheirSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSink(t)
		s.setBroken(true)
		seen := sendMany(t, s, 100, 0, func() {
			time.Sleep(keptAtMost - time.Minute)
			require.Less(t, s.called(), 1000, "it is asked about one record, not about all")
			s.setBroken(false)
		})
		require.Len(t, s.stored, 100)
		require.Zero(t, seen.of("1 records dropped"))
	})
}

// Records that no sink stores are dropped and counted: with the first or second call if the sink may be skipped, otherwise in the
// end.
func TestRecordsAreDroppedInTheEnd(t *testing.T) {
	for policy, within := range map[pluginhost.FailurePolicy]time.Duration{pluginhost.Drop: 3 * callPause, pluginhost.Wait: keptAtMost + time.Minute} {
		t.Run(string(policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSink(t)
				s.policy = policy
				s.setBroken(true)
				begun := time.Now()
				seen := sendMany(t, s, 100, 0, func() {})
				require.Equal(t, 100, seen.of("1 records dropped"))
				require.Less(t, time.Since(begun), within)
			})
		})
	}
}
