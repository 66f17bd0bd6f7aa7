package server

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A sink drops records that are answered with 400, so only permanently invalid content gets that status.
func TestRefusedBodies(t *testing.T) {
	h := handler(t)
	body, err := proto.Marshal(&pluginpb.StoreRequest{Records: []*pluginpb.Record{{Key: "k", Framework: &pluginpb.Framework{Uid: "u"}}}})
	require.NoError(t, err)
	list, err := proto.Marshal(&pluginpb.StoreRequest{Records: []*pluginpb.Record{{Key: "k", Content: &pluginpb.Record_Presence{Presence: &pluginpb.PresenceRecord{}}}}})
	require.NoError(t, err)
	damaged := compressed(body)
	damaged[len(damaged)-6] ^= 1 // in the checksum
	for _, c := range []struct {
		name, cluster, kind, encoding string
		body                          io.Reader
		status                        int
	}{
		{"wrong type", "", "application/json", "", nil, 415},
		{"wrong encoding", "", protobuf, "zstd", nil, 415},
		{"too large", "", protobuf, "", bytes.NewReader(make([]byte, mostBody+1)), 413},
		{"garbage", "", protobuf, "", strings.NewReader("\xff\xff"), 400},
		{"a cluster that is no name", "a b", protobuf, "", nil, 422},
		{"no gzip", "", protobuf, "gzip", strings.NewReader("plain"), 408},
		{"gzip that is cut off", "", protobuf, "gzip", bytes.NewReader(compressed(body)[:10]), 408},
		{"gzip that is damaged", "", protobuf, "gzip", bytes.NewReader(damaged), 408},
		{"a connection that is cut off", "", protobuf, "", iotest.ErrReader(io.ErrUnexpectedEOF), 408},
		{"whole gzip", "a.b", protobuf, "gzip", bytes.NewReader(compressed(body)), 200},
		{"a list, which is about no Framework", "", protobuf, "", bytes.NewReader(list), 200},
	} {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/records", c.body)
		r.Header.Set("Authorization", "Bearer sink")
		r.Header.Set("Content-Type", c.kind)
		r.Header.Set("X-Cluster", c.cluster)
		r.Header.Set("Content-Encoding", c.encoding)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Equal(t, c.status, w.Code, c.name)
	}
}

// A record that is refused alone is lost, and is counted; records that are refused together may be sent again without the invalid one.
func TestRefusedRecordsAreCounted(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Database: filepath.Join(t.TempDir(), "h.db"), Log: hclog.NewNullLogger()})
	require.NoError(t, err)
	defer s.Close()
	api := New(Options{Store: s, Access: cluster(), Log: hclog.NewNullLogger()})
	for _, records := range [][]*pluginpb.Record{{{Key: "without a UID"}}, {{Key: "a"}, {Key: "b"}}} {
		body, err := proto.Marshal(&pluginpb.StoreRequest{Records: records})
		require.NoError(t, err)
		require.Equal(t, 400, ask(api.Handler(), "POST", "/api/v1/records", "sink", body).Code)
	}
	scraped := httptest.NewRecorder()
	api.Metrics().Handler().ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Contains(t, scraped.Body.String(), "\nframeworkcontroller_history_records_refused_total 1\n")
}
