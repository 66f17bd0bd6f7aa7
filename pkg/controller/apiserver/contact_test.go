package apiserver

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

const (
	withStatus    = `{"kind":"APIResourceList","resources":[{"name":"frameworks"},{"name":"frameworks/status"}]}`
	withoutStatus = `{"kind":"APIResourceList","resources":[{"name":"frameworks"}]}`
	otherKind     = `{"kind":"APIResourceList","resources":[{"name":"others"}]}`
)

// groupServer is an API server that only answers discovery.
type groupServer struct {
	code atomic.Int32
	body atomic.Value
}

func (d *groupServer) says(code int32, body string) {
	d.code.Store(code)
	d.body.Store(body)
}

func (d *groupServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/apis/frameworkcontroller.microsoft.com/v1" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(d.code.Load()))
	_, _ = w.Write([]byte(d.body.Load().(string)))
}

func TestWhatIsServed(t *testing.T) {
	d := &groupServer{}
	server := httptest.NewServer(d)
	defer server.Close()
	clients, err := NewClients(&rest.Config{Host: server.URL}, serializer.NewCodecFactory(runtime.NewScheme()))
	require.NoError(t, err)
	tests := map[string]struct {
		code   int32
		body   string
		want   served
		failed bool
	}{
		"all of it":            {200, withStatus, statusServed, false},
		"no subresource":       {200, withoutStatus, frameworksServed, false},
		"another kind only":    {200, otherKind, nothingServed, false},
		"no CRD":               {404, `404 page not found`, nothingServed, false},
		"not allowed to ask":   {403, `{}`, unknown, false},
		"unknown to it":        {401, `{}`, unknown, true},
		"behind a broken load": {502, `bad gateway`, unknown, true},
		"starting":             {500, `{}`, unknown, true},
		"no JSON":              {200, `<html>`, unknown, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d.says(tt.code, tt.body)
			if got, err := clients.serves(t.Context()); got != tt.want || (err != nil) != tt.failed {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// An API server that accepts connections but never answers does not block a look.
func TestLookEnds(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	clients, err := NewClients(&rest.Config{Host: "http://" + silent.Addr().String()}, serializer.NewCodecFactory(runtime.NewScheme()))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := clients.serves(ctx); err == nil {
		t.Error("there was an answer")
	}
}

func TestContact(t *testing.T) {
	begin := time.Now()
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	refused := context.DeadlineExceeded
	k := &contact{}
	steps := []struct {
		what                  string
		do                    func()
		silent, status, no404 string // parts of the log at that moment; empty if all is well
		now                   int
	}{
		{what: "nothing is known", do: func() {}},
		{what: "an answer", do: func() { k.note(at(0), statusServed, nil) }},
		{what: "no answer for a moment", do: func() { k.note(at(5), unknown, refused) }, now: 15},
		{what: "no answer for too long", do: func() { k.note(at(14), unknown, refused) }, now: 20, silent: "no answer for 20s: context deadline"},
		{what: "it answers again", do: func() { k.note(at(21), statusServed, nil) }, now: 60},
		{what: "a write finds no subresource", do: func() { k.lose(at(61)) }, now: 61, status: "no status subresource"},
		{what: "what was asked before", do: func() { k.note(at(60), statusServed, nil) }, now: 62, status: "no status subresource"},
		{what: "an answer that says nothing", do: func() { k.note(at(62), unknown, nil) }, now: 62, status: "no status subresource"},
		{what: "it is served again", do: func() { k.note(at(63), statusServed, nil) }, now: 63},
		{what: "a write finds none again", do: func() { k.lose(at(63)) }, now: 63, status: "no status subresource"},
		{what: "a write that began before succeeds", do: func() { k.find(at(62)) }, now: 63, status: "no status subresource"},
		{what: "a write succeeds", do: func() { k.find(at(64)) }, now: 64},
		{what: "the CRD is gone", do: func() { k.note(at(64), nothingServed, nil) }, now: 64, status: "no CRD", no404: "deleted the CRD"},
		{what: "the CRD is back", do: func() { k.note(at(65), statusServed, nil) }, now: 65},
	}
	for _, s := range steps {
		s.do()
		for want, got := range map[*string]error{&s.silent: k.silence(at(s.now)), &s.status: k.missing(statusServed), &s.no404: k.missing(frameworksServed)} {
			if (got == nil) != (*want == "") || got != nil && !strings.Contains(got.Error(), *want) {
				t.Errorf("%s: got %v, want %q", s.what, got, *want)
			}
		}
	}
}

// While all is well, looks are seldom.
func TestContactIsDue(t *testing.T) {
	begin := time.Now()
	after := func(d time.Duration) time.Time { return begin.Add(d) }
	k := &contact{}
	k.note(begin, statusServed, nil)
	if k.due(after(4*time.Second), 5*time.Second) || !k.due(after(5*time.Second), 5*time.Second) {
		t.Error("not every 5 s")
	}
	k.lose(begin)
	if k.due(after(lookAgain/2), 5*time.Second) || !k.due(after(lookAgain), 5*time.Second) {
		t.Error("not soon, although the subresource is missing")
	}
	k.note(begin, unknown, context.DeadlineExceeded)
	if !k.due(after(lookAgain), 5*time.Second) {
		t.Error("not soon, although there was no answer")
	}
}
