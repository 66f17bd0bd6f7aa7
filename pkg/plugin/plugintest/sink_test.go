package plugintest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// sink answers with keys of the records.
func sink(store func([]*pluginpb.Record) ([]string, error)) func() plugin.Plugin {
	return func() plugin.Plugin {
		return plugin.Plugin{HistorySink: plugin.SinkFunc(func(_ context.Context, records []*pluginpb.Record) ([]string, error) {
			return store(records)
		})}
	}
}

func keysOf(records []*pluginpb.Record) []string {
	var keys []string
	for _, r := range records {
		keys = append(keys, r.GetKey())
	}
	return keys
}

func TestSink(t *testing.T) {
	Sink(t, InProcess(sink(func(records []*pluginpb.Record) ([]string, error) { return keysOf(records), nil })), Options{})
}

// A sink that acknowledges in part, and in a later call, keeps to the contract.
func TestSlowlyAcknowledgingSink(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	Sink(t, InProcess(sink(func(records []*pluginpb.Record) ([]string, error) {
		mu.Lock()
		defer mu.Unlock()
		var known []string
		for _, r := range records {
			if seen[r.GetKey()] {
				known = append(known, r.GetKey())
			}
			seen[r.GetKey()] = true
		}
		return known, nil
	})), Options{})
}

// largest is the largest request, in records and in bytes of messages.
type largest struct {
	mu             sync.Mutex
	records, bytes int
}

// measured is a connection to a sink that measures requests.
type measured struct {
	grpc.ClientConnInterface
	*largest
}

func (l measured) Invoke(ctx context.Context, method string, question, answer any, o ...grpc.CallOption) error {
	if q, ok := question.(*pluginpb.StoreRequest); ok {
		l.mu.Lock()
		l.records, l.bytes = max(l.records, len(q.GetRecords())), max(l.bytes, bytesOfMessages(q))
		l.mu.Unlock()
	}
	return l.ClientConnInterface.Invoke(ctx, method, question, answer, o...)
}

func bytesOfMessages(q *pluginpb.StoreRequest) int {
	n := 0
	for _, r := range q.GetRecords() {
		for _, c := range r.GetTaskAttempt().GetContainers() {
			n += len(c.GetMessage())
		}
	}
	return n
}

// Requests are as large as the requests of the controller: docs/reference/plugin-protocol.md has the limits.
func TestRequestsAreAsLargeAsThoseOfTheController(t *testing.T) {
	build := sink(func(records []*pluginpb.Record) ([]string, error) { return keysOf(records), nil })
	var l largest
	Sink(t, func(t *testing.T) grpc.ClientConnInterface {
		return measured{InProcess(build)(t), &l}
	}, Options{})
	if l.records != 1000 || l.bytes < 3<<20 {
		t.Errorf("the largest request had %d records, or %d bytes in messages", l.records, l.bytes)
	}
}

// A sink that collects logs is asked about them, and errors about single Pods are answers.
func TestSinkThatCollectsLogs(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]bool{}
	build := func() plugin.Plugin {
		p := sink(func(records []*pluginpb.Record) ([]string, error) { return keysOf(records), nil })()
		p.LogCollector = plugin.LogCollectorFunc(func(_ context.Context, q *pluginpb.CollectLogsRequest) error {
			mu.Lock()
			defer mu.Unlock()
			asked[q.GetPodName()] = true
			return errors.New("no log")
		})
		return p
	}
	Sink(t, InProcess(build), Options{Logs: []*pluginpb.CollectLogsRequest{{PodName: "the author's"}}})
	for _, name := range []string{"the author's", "f-worker-0", "", hostile} {
		if !asked[name] {
			t.Errorf("not asked about %q", name)
		}
	}
}

// A sink that states that it collects no logs is not asked, though it could.
func TestSinkThatCollectsNoLogs(t *testing.T) {
	Sink(t, InProcess(func() plugin.Plugin {
		p := sink(func(records []*pluginpb.Record) ([]string, error) { return keysOf(records), nil })()
		p.CollectsLogs = func() bool { return false }
		p.LogCollector = plugin.LogCollectorFunc(func(context.Context, *pluginpb.CollectLogsRequest) error {
			t.Error("it is asked")
			return nil
		})
		return p
	}), Options{})
}

// collecting is a sink that collects logs.
func collecting(collect plugin.LogCollectorFunc) func() plugin.Plugin {
	return func() plugin.Plugin {
		p := sink(func(records []*pluginpb.Record) ([]string, error) { return keysOf(records), nil })()
		p.LogCollector = collect
		return p
	}
}

func sinkLiars() map[string]liar {
	quick := Options{Timeout: time.Second}
	refusing := func(what string, refuses func(*pluginpb.Record) bool) func() plugin.Plugin {
		return sink(func(records []*pluginpb.Record) ([]string, error) {
			for _, r := range records {
				if refuses(r) {
					return nil, errors.New(what)
				}
			}
			return keysOf(records), nil
		})
	}
	var underWay sync.Map
	return map[string]liar{
		"acknowledges what it was not given": {sink(func(records []*pluginpb.Record) ([]string, error) {
			return append(keysOf(records), "stranger"), nil
		}), Options{}, `acknowledges_each_record|it acknowledges the key "stranger"`},
		"acknowledges nothing": {sink(func([]*pluginpb.Record) ([]string, error) { return nil, nil }),
			quick, "acknowledges_each_record|not acknowledged"},
		"acknowledges only once": {onlyOnce(), quick, "acknowledges_known_records|not acknowledged"},
		"refuses what another process has": {func() plugin.Plugin {
			mine := map[string]bool{}
			return refusing("there already", func(r *pluginpb.Record) bool {
				_, stored := storedByAny.LoadOrStore(r.GetKey(), true)
				known := mine[r.GetKey()]
				mine[r.GetKey()] = true
				return stored && !known
			})()
		}, quick, "acknowledges_records_of_another_process|there already"},
		"is busy with the same record": {sink(func(records []*pluginpb.Record) ([]string, error) {
			for _, r := range records {
				if _, busy := underWay.LoadOrStore(r.GetKey(), true); busy {
					return nil, errors.New("busy with it")
				}
				defer underWay.Delete(r.GetKey())
			}
			time.Sleep(5 * time.Millisecond)
			return keysOf(records), nil
		}), Options{}, "acknowledges_concurrent_copies_of_a_record|busy with it"},
		"refuses what it does not know": {refusing("unknown content", func(r *pluginpb.Record) bool {
			return len(r.ProtoReflect().GetUnknown()) > 0
		}), quick, "acknowledges_unknown_content|unknown content"},
		"trusts texts": {refusing("no NUL", func(r *pluginpb.Record) bool { return strings.Contains(r.GetFramework().GetName(), "\x00") }),
			quick, "acknowledges_each_record|no NUL"},
		"does not bear an empty request": {sink(func(records []*pluginpb.Record) ([]string, error) {
			if len(records) == 0 {
				return nil, errors.New("no record")
			}
			return keysOf(records), nil
		}), quick, "bears_an_empty_request|no record"},
		"takes 200 records": {sink(func(records []*pluginpb.Record) ([]string, error) {
			if len(records) > 200 {
				return nil, errors.New("too many")
			}
			return keysOf(records), nil
		}), Options{}, "stores_full_requests|too many"},
		"refuses the author's": {refusing("not mine", func(r *pluginpb.Record) bool { return r.GetKey() == "the author's" }),
			Options{Records: []*pluginpb.Record{{Key: "the author's"}}}, `acknowledges_each_record|not mine`},
		"collects slowly": {collecting(func(context.Context, *pluginpb.CollectLogsRequest) error {
			time.Sleep(3 * time.Second)
			return nil
		}), quick, "answers_about_logs|DeadlineExceeded"},
		"stores slowly": {sink(func(records []*pluginpb.Record) ([]string, error) {
			time.Sleep(3 * time.Second)
			return keysOf(records), nil
		}), quick, "acknowledges_each_record|DeadlineExceeded"},
	}
}

var storedByAny sync.Map

func onlyOnce() func() plugin.Plugin {
	var acknowledged sync.Map
	return sink(func(records []*pluginpb.Record) ([]string, error) {
		var keys []string
		for _, r := range records {
			if _, before := acknowledged.LoadOrStore(r.GetKey(), true); !before {
				keys = append(keys, r.GetKey())
			}
		}
		return keys, nil
	})
}
