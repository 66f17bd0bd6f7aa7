package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-nodes/nodefault"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-nodes/nodewatch"
)

func TestContract(t *testing.T) {
	kubeconfig := playAPIServer(t)
	failed := func(reason string) *pluginpb.FailedPod {
		end := &pluginpb.Terminated{ExitCode: 1, FinishedAt: timestamppb.New(time.Unix(1_800_000_000, 0))}
		return &pluginpb.FailedPod{Node: "bad", Reason: reason, Containers: []*pluginpb.Container{{Name: "c", Terminated: end}}}
	}
	withOwn := failed("")
	withOwn.Parameters = plugintest.Parameters(t, map[string]any{"kubeconfig": "/etc/shadow"})
	options := plugintest.Options{
		Parameters: map[string]any{"kubeconfig": kubeconfig},
		Pods:       []*pluginpb.FailedPod{failed(""), failed("Evicted"), withOwn},
		Refused: []plugintest.Refused{
			{Parameters: map[string]any{"kubeconfigs": kubeconfig}, Mention: "kubeconfigs"},
			{Parameters: map[string]any{"kubeconfig": filepath.Join(t.TempDir(), "none")}, Mention: "kubeconfig"},
			{Parameters: map[string]any{"avoid": map[string]any{"mode": "Never"}}, Mention: "avoid.mode"},
			{Parameters: map[string]any{"avoid": map[string]any{"seconds": -1}}, Mention: "avoid.seconds"},
			{Parameters: map[string]any{"timesPerTask": 0}, Mention: "timesPerTask"},
			{Parameters: map[string]any{"withinSec": 1e9}, Mention: "withinSec"},
			{Parameters: map[string]any{"suspicion": map[string]any{"frameworks": 1}}, Mention: "suspicion.frameworks"},
			{Parameters: map[string]any{"suspicion": map[string]any{"namespaces": 9}}, Mention: "suspicion.namespaces"},
			{Parameters: map[string]any{"suspicion": map[string]any{"withinSec": 0}}, Mention: "suspicion.withinSec"},
			{Parameters: map[string]any{"suspicion": map[string]any{"maxNodes": 0}}, Mention: "suspicion.maxNodes"},
		},
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Classifier(t, plugintest.InProcess(func() plugin.Plugin { return nodefault.New(nodewatch.Start) }), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Classifier(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
	t.Run("as a program that may suspect nodes", func(t *testing.T) {
		options := options
		options.Refused, options.Parameters = nil, map[string]any{"kubeconfig": kubeconfig, "suspicion": map[string]any{}}
		plugintest.Classifier(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}

// playAPIServer serves one bad node, and no devices, and returns a kubeconfig for it. The tests of the controller have a real
// one (test/e2e).
func playAPIServer(t *testing.T) (kubeconfig string) {
	node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "bad", ResourceVersion: "1"}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: "KernelDeadlock", Status: "True", LastTransitionTime: metav1.Unix(1_700_000_000, 0)}}
	list := corev1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.Node{node}}
	list.APIVersion, list.Kind = "v1", "NodeList"
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/api/v1/nodes" && r.URL.Query().Get("sendInitialEvents") != "":
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = json.NewEncoder(w).Encode(metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Reason: metav1.StatusReasonInvalid, Code: http.StatusUnprocessableEntity,
			})
		case r.URL.Path == "/api/v1/nodes" && r.URL.Query().Get("watch") != "":
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-over:
			}
		case r.URL.Path == "/api/v1/nodes":
			_ = json.NewEncoder(w).Encode(list)
		default:
			w.WriteHeader(http.StatusNotFound)
			_ = json.NewEncoder(w).Encode(metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound,
			})
		}
	}))
	t.Cleanup(func() {
		close(over) // or Close would wait for the open watches
		server.Close()
	})
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": [{"name": "c", "cluster": {"server": "` + server.URL + `"}}],
		"contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}], "users": [{"name": "u", "user": {}}]}`
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
