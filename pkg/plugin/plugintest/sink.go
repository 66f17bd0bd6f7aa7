package plugintest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/answers"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Sink is the suite for a HistorySink. If the plugin stores records somewhere else, that place must accept them while the
// suite runs. A sink may acknowledge a record in any of several calls, but not later than within the deadline of one.
func Sink(t *testing.T, start Start, o Options) {
	o.testDescribe(t, start)
	records := append(append(oddRecords(), randomRecords(100)...), o.Records...)
	s := sinkSuite{o, o.described(t, start)}
	if o.collectsLogs(t, start) {
		t.Run("answers about logs", s.testLogs)
	}
	t.Run("acknowledges each record", func(t *testing.T) {
		for _, r := range records {
			if s.store(t, r); t.Failed() {
				return
			}
		}
	})
	if t.Failed() {
		return
	}
	t.Run("acknowledges known records", func(t *testing.T) { s.store(t, records...) })
	t.Run("acknowledges records of another process", func(t *testing.T) {
		sinkSuite{o, o.described(t, start)}.store(t, records...)
	})
	t.Run("acknowledges concurrent copies of a record", func(t *testing.T) {
		var wait sync.WaitGroup
		r := randomRecord("at the same time", rand.New(rand.NewPCG(5, 6)))
		for range concurrentCalls {
			wait.Go(func() { s.store(t, r) })
		}
		wait.Wait()
	})
	t.Run("acknowledges unknown content", func(t *testing.T) {
		for _, r := range laterRecords() {
			s.store(t, r)
		}
	})
	t.Run("bears an empty request", func(t *testing.T) { s.store(t) })
	t.Run("stores full requests", func(t *testing.T) {
		s.store(t, manyRecords()...)
		s.store(t, largeRecords()...)
	})
	t.Run("survives records that nobody waits for", func(t *testing.T) {
		for _, r := range records {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, _ = s.ask(ctx, r) // too late or not, both are fine
			cancel()
		}
		s.store(t, records...)
	})
}

// concurrentCalls is the number of calls that the controller has under way at most.
const concurrentCalls = 8

// sinkSuite asks one process.
type sinkSuite struct {
	options Options
	conn    grpc.ClientConnInterface
}

func (s sinkSuite) ask(ctx context.Context, records ...*pluginpb.Record) (*pluginpb.StoreResponse, error) {
	q := &pluginpb.StoreRequest{Records: records}
	a, err := pluginpb.NewHistorySinkClient(s.conn).Store(ctx, q)
	if err != nil {
		return nil, err
	}
	return answers.CheckStored(q, a)
}

// store sends records until all are acknowledged.
func (s sinkSuite) store(t *testing.T, records ...*pluginpb.Record) {
	t.Helper()
	limit := s.options.context(t)
	for pause := time.Millisecond; ; pause *= 2 {
		answer, err := s.ask(s.options.context(t), records...)
		if err != nil {
			t.Errorf("%s: %v", describeRecords(records), err)
			return
		}
		if records = without(records, answer.GetKeys()); len(records) == 0 {
			return
		}
		select {
		case <-limit.Done():
			t.Errorf("%s: not acknowledged", describeRecords(records))
			return
		case <-time.After(pause):
		}
	}
}

func without(records []*pluginpb.Record, keys []string) []*pluginpb.Record {
	stored := map[string]bool{}
	for _, key := range keys {
		stored[key] = true
	}
	var left []*pluginpb.Record
	for _, r := range records {
		if !stored[r.GetKey()] {
			left = append(left, r)
		}
	}
	return left
}

func describeRecords(records []*pluginpb.Record) string {
	if len(records) == 0 {
		return "no record"
	}
	return fmt.Sprintf("%.100q, %d records", records[0].GetKey(), len(records))
}

// laterRecords are of a kind, or have fields, that this version of the contract does not have.
func laterRecords() []*pluginpb.Record {
	known := randomRecord("with another field", rand.New(rand.NewPCG(7, 8)))
	return []*pluginpb.Record{
		later(&pluginpb.Record{Key: "of another kind", Framework: known.Framework, Time: known.Time}),
		later(known),
	}
}

// manyRecords are as many as fit into a request.
func manyRecords() []*pluginpb.Record {
	r := rand.New(rand.NewPCG(9, 10))
	records := make([]*pluginpb.Record, plugin.MaxRecords)
	for i := range records {
		records[i] = randomRecord(fmt.Sprintf("one of many %d", i), r)
	}
	return records
}

// largeRecords have the longest texts, and fill a request.
func largeRecords() []*pluginpb.Record {
	var records []*pluginpb.Record
	for i, size := 0, 0; ; i++ {
		r := &pluginpb.Record{Key: fmt.Sprintf("a large one %d", i), Framework: &pluginpb.Framework{Namespace: "a", Name: "f", Uid: "u"}}
		r.Content = &pluginpb.Record_TaskAttempt{TaskAttempt: &pluginpb.TaskAttemptRecord{TaskRole: "worker", TaskIndex: int32(i),
			Containers: []*pluginpb.ContainerRecord{{Name: "main", Message: strings.Repeat("m", maxText)}, {Name: "side", Message: strings.Repeat("s", maxText)}}}}
		if size += proto.Size(r) + 16; size > plugin.MaxMessage {
			return records
		}
		records = append(records, r)
	}
}
