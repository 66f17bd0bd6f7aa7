package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/history-remote/remotetest"
)

// world is a sink of a server.
type world struct {
	*sink
	t      *testing.T
	server *remotetest.Server
	spools string // directory of the spool; empty without

	mu  sync.Mutex
	log bytes.Buffer
}

func (w *world) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(b)
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.String()
}

func newWorld(t *testing.T, withSpool bool, change ...func(map[string]any)) *world {
	t.Helper()
	w := &world{t: t, server: remotetest.New(t)}
	if withSpool {
		w.spools = t.TempDir()
		w.server.Parameters["spoolDirectory"] = w.spools
	}
	for _, f := range change {
		f(w.server.Parameters)
	}
	w.sink = &sink{log: hclog.New(&hclog.LoggerOptions{Output: w, Level: hclog.Info})}
	spec, err := read(plugintest.Parameters(t, w.server.Parameters))
	require.NoError(t, err)
	require.NoError(t, w.start(t.Context(), spec))
	return w
}

// within sets the timeout for the server.
func within(d time.Duration) func(map[string]any) {
	return func(p map[string]any) { p["timeout"] = d.String() }
}

func records(from, to int) []*pluginpb.Record {
	var all []*pluginpb.Record
	for i := from; i < to; i++ {
		r := plugintest.RandomRecord(rand.New(rand.NewPCG(1, uint64(i))))
		r.Key = fmt.Sprint(i)
		all = append(all, r)
	}
	return all
}

// store calls as the controller does.
func (w *world) store(records []*pluginpb.Record) ([]string, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Second)
	defer cancel()
	return w.Store(ctx, records)
}

func (w *world) mustStore(records []*pluginpb.Record) {
	w.t.Helper()
	if keys, err := w.store(records); err != nil || !slices.Equal(keys, keysOf(records)) {
		w.t.Fatalf("%q, %v", keys, err)
	}
}

// awaitStored waits until the server has these records, in that order.
func (w *world) awaitStored(want []*pluginpb.Record) {
	w.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for len(w.server.Stored()) < len(want) && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if got := w.server.Stored(); !slices.Equal(got, keysOf(want)) {
		w.t.Fatalf("the server has %q\n%s", got, w.logged())
	}
}

func TestStore(t *testing.T) {
	w := newWorld(t, false)
	w.mustStore(records(0, 10))
	w.mustStore(records(5, 15))
	w.mustStore(nil)
	w.awaitStored(records(0, 15))
}

// Without a spool, only records that the server has are acknowledged.
func TestServerIsAwayWithoutSpool(t *testing.T) {
	w := newWorld(t, false)
	w.server.Down()
	if keys, err := w.store(records(0, 1)); err == nil {
		t.Errorf("acknowledged: %q", keys)
	}
	w.server.Up()
	w.mustStore(records(0, 1))
}

// While the server is away, records are kept, and they arrive in their order.
func TestServerIsAway(t *testing.T) {
	w := newWorld(t, true)
	w.mustStore(records(0, 10))
	w.server.Down()
	w.mustStore(records(10, 20))
	for i := 20; i < 30; i++ {
		w.mustStore(records(i, i+1))
	}
	w.server.Up()
	w.awaitStored(records(0, 30))
	w.mustStore(records(30, 31))
	w.awaitStored(records(0, 31))
	if log := w.logged(); strings.Count(log, "does not take records") != 1 || strings.Count(log, "takes records again") != 1 {
		t.Errorf("logged:\n%s", log)
	}
	require.Eventually(t, w.spool.Empty, 10*time.Second, 10*time.Millisecond)
	if left, _ := os.ReadDir(w.spools); len(left) > 0 {
		t.Errorf("left in the spool: %v", left)
	}
}

// With each of these answers the records are kept, and stored once the server has recovered.
func TestUselessAnswers(t *testing.T) {
	var visits []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		visits = append(visits, r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	for name, behavior := range map[string]http.HandlerFunc{
		"500":            func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oh", http.StatusInternalServerError) },
		"503":            func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oh", http.StatusServiceUnavailable) },
		"429":            func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oh", http.StatusTooManyRequests) },
		"404":            http.NotFound,
		"400 of a proxy": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusBadRequest) },
		"408":            func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "cut off", http.StatusRequestTimeout) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
		"10 MB": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 10<<20)) },
		"10 MB 500": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write(make([]byte, 10<<20))
		},
		"nothing": func(http.ResponseWriter, *http.Request) {},
		"garbage": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello")) },
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("x"))
		},
		"hang":  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"abort": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			with, without := newWorld(t, true, within(500*time.Millisecond)), newWorld(t, false, within(500*time.Millisecond))
			with.server.Behave(behavior)
			without.server.Behave(behavior)
			with.mustStore(records(0, 5))
			if keys, err := without.store(records(0, 5)); err == nil {
				t.Errorf("acknowledged without a spool: %q", keys)
			}
			with.server.Behave(nil)
			with.awaitStored(records(0, 5))
		})
	}
	if len(visits) > 0 {
		t.Errorf("visits elsewhere: %q", visits)
	}
}

// A server that asks for a pause gets one.
func TestRetryAfter(t *testing.T) {
	w := newWorld(t, true)
	w.server.Behave(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Retry-After", "2")
		out.WriteHeader(http.StatusServiceUnavailable)
	})
	w.mustStore(records(0, 1))
	require.Eventually(t, func() bool { return w.server.Requests() == 2 }, 5*time.Second, 5*time.Millisecond) // the call's, and the spool's
	w.server.Behave(nil)
	began := time.Now()
	w.awaitStored(records(0, 1))
	if took := time.Since(began); took < 1500*time.Millisecond {
		t.Errorf("asked again after %s", took)
	}
}

// A slow server gets records from the spool in a request that has more time.
func TestSlowServer(t *testing.T) {
	w := newWorld(t, true, within(300*time.Millisecond))
	w.server.Behave(func(out http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(time.Second):
			w.server.Store(out, r)
		case <-r.Context().Done():
		}
	})
	w.mustStore(records(0, 5))
	w.awaitStored(records(0, 5))
}

// A token that is put right takes effect at once, and costs nothing.
func TestWrongToken(t *testing.T) {
	for _, wrong := range []string{"wrong", "", "two\nlines"} {
		with, without := newWorld(t, true), newWorld(t, false)
		for _, w := range []*world{with, without} {
			w.server.WriteToken(wrong)
		}
		with.mustStore(records(0, 5))
		if keys, err := without.store(records(0, 5)); err == nil {
			t.Errorf("acknowledged: %q", keys)
		}
		for _, w := range []*world{with, without} {
			w.server.WriteRightToken()
		}
		without.mustStore(records(0, 5))
		with.awaitStored(records(0, 5))
	}
}

// No part of a token is logged or answered.
func TestTokenIsSecret(t *testing.T) {
	w := newWorld(t, false)
	w.server.WriteToken("topsecret\nword")
	_, err := w.store(records(0, 1))
	if err == nil || strings.Contains(err.Error()+w.logged(), "secret") {
		t.Errorf("%v\n%s", err, w.logged())
	}
}

// A record that the server refuses for good is dropped, and no other.
func TestRefusedRecords(t *testing.T) {
	for _, withSpool := range []bool{false, true} {
		w := newWorld(t, withSpool)
		all := records(0, 100)
		for _, i := range []int{7, 42, 43} {
			all[i].Framework = &pluginpb.Framework{Namespace: remotetest.RefusedNamespace, Name: "f"}
		}
		good := slices.Concat(all[:7], all[8:42], all[44:])
		if withSpool {
			w.server.Down()
		}
		w.mustStore(all)
		w.server.Up()
		w.awaitStored(good)
		require.Eventually(t, func() bool { return strings.Count(w.logged(), "refuses a record for good") == 3 }, 10*time.Second, 10*time.Millisecond)
		if log := w.logged(); !strings.Contains(log, "a record is wrong") || !strings.Contains(log, "key=42") {
			t.Errorf("logged:\n%s", log)
		}
	}
}

// Records that the server leaves out of its answer are not acknowledged, and records in a spool are sent again.
func TestPartlyStored(t *testing.T) {
	for _, withSpool := range []bool{false, true} {
		w := newWorld(t, withSpool)
		if withSpool {
			w.server.Down()
			w.mustStore(records(0, 10))
		}
		var requests atomic.Int32
		w.server.Behave(func(out http.ResponseWriter, r *http.Request) {
			if requests.Add(1) > 3 {
				w.server.Store(out, r)
				return
			}
			whole := httptest.NewRecorder()
			w.server.Store(whole, r)
			var answer pluginpb.StoreResponse
			if err := proto.Unmarshal(whole.Body.Bytes(), &answer); err != nil {
				t.Error(err)
			}
			part, err := proto.Marshal(&pluginpb.StoreResponse{Keys: answer.GetKeys()[:1]})
			if err != nil {
				t.Error(err)
			}
			_, _ = out.Write(part)
		})
		w.server.Up()
		if !withSpool {
			if keys, err := w.store(records(0, 10)); err != nil || !slices.Equal(keys, []string{"0"}) {
				t.Errorf("%q, %v", keys, err)
			}
			continue
		}
		w.awaitStored(records(0, 10))
		require.Eventually(t, w.spool.Empty, 10*time.Second, 10*time.Millisecond)
		if n := requests.Load(); n != 4 {
			t.Errorf("%d requests", n)
		}
	}
}

// When the spool is full, only records in it are acknowledged, and they are stored later.
func TestFullSpool(t *testing.T) {
	w := newWorld(t, true, func(p map[string]any) { p["spoolBytes"] = "1Mi" })
	w.server.Down()
	var kept []*pluginpb.Record
	for i := 0; ; i++ {
		r := records(i, i+1)
		r[0].Content = &pluginpb.Record_Happening{Happening: &pluginpb.Happening{Reason: strings.Repeat("x", 50_000)}}
		if _, err := w.store(r); err != nil {
			if !strings.Contains(err.Error(), "the spool is full") || !strings.Contains(err.Error(), "connection refused") {
				t.Error(err)
			}
			break
		}
		kept = append(kept, r...)
	}
	if len(kept) < 15 || len(kept) > 21 {
		t.Errorf("%d records fit", len(kept))
	}
	w.server.Up()
	w.awaitStored(kept)
}

// A caller that has given up gets no acknowledgment, and the call ends.
func TestDeadline(t *testing.T) {
	w := newWorld(t, false)
	w.server.Behave(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if keys, err := w.Store(ctx, records(0, 1)); err == nil || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 2*time.Second {
		t.Errorf("%q, %v after %s", keys, err, time.Since(began))
	}
}

// The certificates may change while the process runs.
func TestCertificatesChange(t *testing.T) {
	w := newWorld(t, false)
	caFile := w.client.spec.CAFile
	right, err := os.ReadFile(caFile)
	require.NoError(t, err)
	for _, wrong := range []string{"", "no certificate", otherCertificate} {
		require.NoError(t, os.WriteFile(caFile, []byte(wrong), 0o600))
		if _, err := w.store(records(0, 1)); err == nil || !strings.Contains(err.Error(), "caFile") && !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%.20q: %v", wrong, err)
		}
		require.NoError(t, os.WriteFile(caFile, right, 0o600))
		w.mustStore(records(0, 1))
	}
}

// A damaged file of the spool neither blocks others nor is lost.
func TestDamagedSpool(t *testing.T) {
	w := newWorld(t, true)
	w.server.Down()
	w.mustStore(records(0, 5))
	require.Eventually(t, func() bool { return w.server.Requests() == 0 && w.away.Load() }, 5*time.Second, 5*time.Millisecond)
	damaged := filepath.Join(w.spools, "00000000000000000000-1.records")
	require.NoError(t, os.WriteFile(damaged+".new", []byte("this is no record at all"), 0o600))
	require.NoError(t, os.Rename(damaged+".new", damaged)) // an empty file would be adopted and removed
	w.mustStore(records(5, 10))
	w.server.Up()
	w.awaitStored(records(0, 10))
	require.Eventually(t, func() bool {
		_, err := os.Stat(damaged + ".damaged")
		return err == nil
	}, 60*time.Second, 10*time.Millisecond)
}

const otherCertificate = `-----BEGIN CERTIFICATE-----
MIIBIDCBx6ADAgECAgEBMAoGCCqGSM49BAMCMAAwHhcNMjYwMTAxMDAwMDAwWhcN
-----END CERTIFICATE-----
`
