package pluginhost

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Store acknowledges all records, unless the name of the first record's Framework asks for something else.
func (r raw) Store(_ context.Context, q *pluginpb.StoreRequest) (*pluginpb.StoreResponse, error) {
	a := &pluginpb.StoreResponse{}
	for _, r := range q.Records {
		a.Keys = append(a.Keys, r.Key)
	}
	what, argument, _ := strings.Cut(onlyTheFirstTime("store", q.Records[0].GetFramework().GetName()), " ")
	switch what {
	case "nothing":
		return &pluginpb.StoreResponse{}, nil
	case "half":
		a.Keys = a.Keys[:len(a.Keys)/2]
	case "twice":
		a.Keys = append(a.Keys, a.Keys...)
	case "stranger":
		a.Keys = append(a.Keys, "never sent")
	case "huge":
		a.Keys = append(a.Keys, strings.Repeat("z", 10<<20))
	case "error":
		return nil, status.Error(codes.FailedPrecondition, "on purpose")
	case "hang":
		time.Sleep(time.Hour)
	case "sleep":
		d, _ := time.ParseDuration(argument)
		time.Sleep(d)
	case "crash":
		os.Exit(2)
	}
	return a, nil
}

// record is a record that the child of a sink treats as the behavior says.
func record(n int, behavior string) *pluginpb.Record {
	return &pluginpb.Record{Key: fmt.Sprintf("key-%d", n), Framework: &pluginpb.Framework{Namespace: "a", Name: behavior}}
}

func sink(name string) Config {
	c := config(name, "rpc")
	c.Kind = plugin.KindHistorySink
	return c
}

// store sends one record.
func (w *world) store(name string, r *pluginpb.Record) (map[string]bool, error) {
	stored, _, err := w.Store(w.t.Context(), name, []*pluginpb.Record{r})
	return stored, err
}

func TestStore(t *testing.T) {
	c := sink("p")
	c.Env["VERSION"] = "1.2.3"
	w := newWorld(t, c, config("classifier", "rpc"))
	for behavior, want := range map[string]int{"": 3, "half": 1, "twice": 3, "nothing": 0} {
		stored, source, err := w.Store(t.Context(), "p", []*pluginpb.Record{record(0, behavior), record(1, behavior), record(2, behavior)})
		if err != nil || source != (Source{"p", "1.2.3"}) || len(stored) != want || stored["key-0"] != (want > 0) {
			t.Errorf("%q: %v, %v, %v", behavior, stored, source, err)
		}
	}
	for range 2 * circuitFaults {
		if stored, err := w.store("p", record(0, "nothing")); err != nil || stored == nil || len(stored) > 0 {
			t.Fatalf("that nothing is acknowledged is a valid answer: %v, %v", stored, err)
		}
	}
	_, err := w.store("classifier", record(0, ""))
	wantFault(t, err, NotConfigured, "is not configured as a HistorySink")
	if stored, _, err := w.Store(t.Context(), "p", nil); err != nil || stored == nil || len(stored) > 0 {
		t.Errorf("nothing to store: %v, %v", stored, err)
	}
}

// A sink that lies, hangs or dies costs only its own acknowledgement.
func TestFaultsOfStore(t *testing.T) {
	tests := []struct {
		behavior string
		kind     FaultKind
		message  string
	}{
		{"stranger", Invalid, `HistorySink(p): invalid answer: it acknowledges the key "never sent", which was not in the request`},
		{"huge", TooLarge, "the answer is larger than 4194304 bytes"},
		{"error", Failed, "answered with the error FailedPrecondition: on purpose"},
		{"hang", Timeout, "no answer within 500ms"},
		{"crash", Crashed, "the process ended with exit status 2"},
	}
	for _, tt := range tests {
		t.Run(tt.behavior, func(t *testing.T) {
			c := sink("p")
			c.Timeout = 500 * time.Millisecond
			w := newWorld(t, c)
			w.ready("p")
			stored, err := w.store("p", record(0, tt.behavior))
			wantFault(t, err, tt.kind, tt.message)
			if stored == nil || len(stored) > 0 {
				t.Errorf("stored: %v", stored)
			}
			w.ready("p")
			if stored, err := w.store("p", record(1, "")); err != nil || !stored["key-1"] {
				t.Errorf("afterwards: %v, %v", stored, err)
			}
		})
	}
}

// A fault that passes costs no acknowledgement.
func TestStoreIsRepeated(t *testing.T) {
	for _, behavior := range []string{"first crash", "first error"} {
		t.Run(behavior, func(t *testing.T) {
			c := sink("p")
			c.Env["NOTES"] = t.TempDir()
			w := newWorld(t, c)
			if stored, err := w.store("p", record(0, behavior)); err != nil || !stored["key-0"] {
				t.Errorf("%v, %v", stored, err)
			}
		})
	}
}

// A sink that ends all the time gets all records into its store nevertheless, as long as it answers in between, and no caller
// takes a record for stored that was not acknowledged.
func TestSinkThatEndsAllTheTime(t *testing.T) {
	c := sink("p")
	c.Env["LIFE"] = "100ms"
	w := newWorld(t, c)
	var askers sync.WaitGroup
	for asker := range 4 {
		askers.Go(func() {
			for i := range 25 {
				n := 25*asker + i
				for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
					stored, err := w.store("p", record(n, "sleep 10ms"))
					if err == nil && len(stored) == 1 && stored[fmt.Sprint("key-", n)] {
						break
					}
					if len(stored) > 0 || time.Since(begun) > time.Minute {
						t.Errorf("record %d: %v, %v", n, stored, err)
						return
					}
				}
			}
		})
	}
	askers.Wait()
	if restarts := w.health("p").Restarts; restarts < 2 {
		t.Errorf("%d restarts", restarts)
	}
}

// The faults of a sink are its own: they open the circuit of the plugin, although all are about one Framework, and no circuit of a
// Framework or a namespace.
func TestFaultsOfASinkCountAgainstTheSink(t *testing.T) {
	for _, behavior := range []string{"error", "crash"} {
		t.Run(behavior, func(t *testing.T) {
			w := newWorld(t, sink("p"))
			w.ready("p")
			s := w.slot("p")
			openAgain := func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.circuit.until = time.Now() // the next one tries
				return s.circuit.tried(ofSink)
			}
			for i := 0; !openAgain(); i++ {
				if i > 3*circuitFaults {
					t.Fatalf("the circuit does not open: %+v", w.health("p"))
				}
				if _, err := w.store("p", record(i, behavior)); err == nil {
					t.Fatal("no fault")
				}
			}
			s.mu.Lock()
			s.circuit.until = time.Now().Add(time.Hour)
			s.mu.Unlock()
			_, err := w.store("p", record(0, ""))
			wantFault(t, err, CircuitOpened, "HistorySink(p): is not asked for a while after")
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.circuits.known) > 0 {
				t.Errorf("circuits: %v", s.circuits.known)
			}
		})
	}
}

// The records of one namespace may use all calls.
func TestStoreIsOfNoNamespace(t *testing.T) {
	w := newWorld(t, sink("p"))
	w.ready("p")
	s := w.slot("p")
	var askers sync.WaitGroup
	for i := range maxCalls {
		askers.Go(func() {
			if stored, err := w.store("p", record(i, "sleep 700ms")); err != nil || len(stored) != 1 {
				t.Errorf("%v, %v", stored, err)
			}
		})
	}
	w.until("all at once", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.serving.calls == maxCalls
	})
	askers.Wait()
}

// Records before a fault are known to be stored, and records after it are not sent.
func TestStoreInSeveralRequests(t *testing.T) {
	w := newWorld(t, sink("p"))
	records := make([]*pluginpb.Record, 3*plugin.MaxRecords)
	for i := range records {
		records[i] = record(i, "")
	}
	stored, _, err := w.Store(t.Context(), "p", records)
	if err != nil || len(stored) != len(records) {
		t.Errorf("%d stored, %v", len(stored), err)
	}
	records[plugin.MaxRecords] = record(plugin.MaxRecords, "error")
	stored, source, err := w.Store(t.Context(), "p", records)
	wantFault(t, err, Failed, "on purpose")
	if len(stored) != plugin.MaxRecords || source.Plugin != "p" {
		t.Errorf("%d stored by %v", len(stored), source)
	}
	records = []*pluginpb.Record{record(0, ""), sized(1, plugin.MaxMessage+1), record(2, "")}
	stored, _, err = w.Store(t.Context(), "p", records)
	wantFault(t, err, TooLarge, "HistorySink(p): was not asked: the question has 4194310 bytes, but at most 4194304 are allowed")
	if len(stored) != 2 || stored["key-1"] {
		t.Errorf("stored beside one that is too large: %v", stored)
	}
}

// sized is a record of that number of bytes.
func sized(n, bytes int) *pluginpb.Record {
	r := &pluginpb.Record{Key: fmt.Sprintf("key-%d", n)}
	happening := &pluginpb.Happening{}
	r.Content = &pluginpb.Record_Happening{Happening: happening}
	for range 5 { // lengths of lengths
		happening.Reason += strings.Repeat("x", max(0, bytes-proto.Size(r)))
		happening.Reason = happening.Reason[:len(happening.Reason)-max(0, proto.Size(r)-bytes)]
	}
	return r
}

func TestRequestsOf(t *testing.T) {
	whole := sized(0, plugin.MaxMessage-5) // the tag, and the length in four bytes
	if q := (&pluginpb.StoreRequest{Records: []*pluginpb.Record{whole}}); proto.Size(q) != plugin.MaxMessage {
		t.Fatalf("the test's record makes a request of %d bytes", proto.Size(q))
	}
	var many []*pluginpb.Record
	for i := range 2*plugin.MaxRecords + 1 {
		many = append(many, record(i, ""))
	}
	tests := []struct {
		name    string
		records []*pluginpb.Record
		want    []int
	}{
		{"nothing", nil, nil},
		{"too many", many, []int{plugin.MaxRecords, plugin.MaxRecords, 1}},
		{"the largest", []*pluginpb.Record{whole}, []int{1}},
		{"too large together", []*pluginpb.Record{whole, record(1, ""), record(2, ""), sized(3, plugin.MaxMessage-5)}, []int{1, 2, 1}},
		{"too large", []*pluginpb.Record{record(1, ""), sized(0, plugin.MaxMessage), record(2, "")}, []int{1, 1, 1}},
		{"twice", []*pluginpb.Record{record(1, ""), record(2, ""), record(1, "again")}, []int{2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			for q := range requestsOf(tt.records) {
				got = append(got, len(q.Records))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
