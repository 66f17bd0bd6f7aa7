package server

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/history-remote/remote"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// site is a server over TLS, with the parameters and the token for the shipped sink.
type site struct {
	store      *store.Store
	parameters map[string]any
	tokenFile  string
}

func newSite(t *testing.T, access *Access) site {
	t.Helper()
	directory := t.TempDir()
	s := site{tokenFile: filepath.Join(directory, "token")}
	var err error
	s.store, err = store.Open(t.Context(), store.Options{Database: filepath.Join(directory, "h.db"), Log: hclog.NewNullLogger()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.store.Close() })
	server := httptest.NewTLSServer(New(Options{Store: s.store, Access: access, Log: hclog.NewNullLogger()}).Handler())
	t.Cleanup(server.Close)
	caFile := filepath.Join(directory, "ca.crt")
	require.NoError(t, os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	s.parameters = map[string]any{"url": server.URL, "cluster": "c1", "caFile": caFile, "tokenFile": s.tokenFile}
	s.writeToken(t, "sink")
	return s
}

func (s site) writeToken(t *testing.T, token string) {
	t.Helper()
	require.NoError(t, os.WriteFile(s.tokenFile, []byte(token+"\n"), 0o600))
}

// sink starts the shipped sink.
func (s site) sink(t *testing.T) plugin.HistorySink {
	t.Helper()
	p := remote.New()
	require.NoError(t, p.Configure("history", plugintest.Parameters(t, s.parameters)))
	return p.HistorySink
}

func happening(key string) *pluginpb.Record {
	return &pluginpb.Record{Key: key, Framework: &pluginpb.Framework{Namespace: "prod", Name: "f", Uid: "u"}, Time: timestamppb.Now(),
		Content: &pluginpb.Record_Happening{Happening: &pluginpb.Happening{Reason: "Rescaled"}}}
}

// The shipped sink and the server keep the contract together.
func TestContract(t *testing.T) {
	s := newSite(t, cluster())
	s.parameters["timeout"] = machine.Within(4 * time.Second).String()
	plugintest.Sink(t, plugintest.InProcess(remote.New), plugintest.Options{Parameters: s.parameters, Timeout: machine.Within(5 * time.Second)})
	stored := s.store.Counts().Stored
	require.Greater(t, stored, int64(plugin.MaxRecords))
}

// A record that the server refuses for good is the only lost one of its request.
func TestOnlyTheRefusedIsLost(t *testing.T) {
	s := newSite(t, cluster())
	var all []*pluginpb.Record
	for i := range 100 {
		all = append(all, happening(fmt.Sprint("key-", i)))
	}
	all[42].Framework.Uid = ""
	keys, err := s.sink(t).Store(t.Context(), all)
	require.NoError(t, err)
	require.Len(t, keys, 100)
	stored := s.store.Counts().Stored
	require.EqualValues(t, 99, stored)
}

// A token that the server does not take costs no record: without a spool nothing is acknowledged, and with one the records are
// stored once the token is right.
func TestWrongTokens(t *testing.T) {
	s := newSite(t, audienceCluster("history"))
	without := s.sink(t)
	s.parameters["spoolDirectory"] = t.TempDir()
	with := s.sink(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for i, token := range []string{"foreign", "api", "unaware"} {
		s.writeToken(t, token)
		_, err := without.Store(ctx, []*pluginpb.Record{happening(fmt.Sprint("refused-", i))})
		require.ErrorContains(t, err, "401", token)
		keys, err := with.Store(ctx, []*pluginpb.Record{happening(fmt.Sprint("kept-", i))})
		require.NoError(t, err)
		require.Len(t, keys, 1)
	}
	stored := s.store.Counts().Stored
	require.Zero(t, stored)
	s.writeToken(t, "history")
	require.Eventually(t, func() bool { return s.store.Counts().Stored == 3 }, 30*time.Second, 20*time.Millisecond)
}
