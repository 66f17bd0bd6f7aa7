package historyclient

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// apiServer has a history server, and forwards ports to it over SPDY: it knows no WebSockets, as older ones do.
type apiServer struct {
	*testing.T
	history   string
	published map[string]string
	// pods returns the names of the ready Pods; if nil, history-1 is ready.
	pods func() []string
	// connections is called for each forwarded port; may be nil.
	connections func(pod string, c httpstream.Connection)
}

func (s apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const in = "/api/v1/namespaces/frameworkcontroller/"
	meta := metav1.ObjectMeta{Name: "history", Namespace: "frameworkcontroller", Labels: map[string]string{componentLabel: component}}
	var body any
	switch r.URL.Path {
	case in + "services":
		body = corev1.ServiceList{Items: []corev1.Service{{ObjectMeta: meta, Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": "history"}, Ports: []corev1.ServicePort{{Port: 443, TargetPort: intstr.FromString("https")}}}}}}
	case in + "configmaps/history":
		body = corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: meta, Data: s.published}
	case in + "pods":
		list := corev1.PodList{Items: []corev1.Pod{podWith("history-0", corev1.ConditionFalse)}}
		for _, name := range s.ready() {
			list.Items = append(list.Items, podWith(name, corev1.ConditionTrue))
		}
		body = list
	default:
		pod, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, in+"pods/"), "/portforward")
		if ok && slices.Contains(s.ready(), pod) {
			s.forward(w, r, pod)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.Error(err)
	}
}

func (s apiServer) ready() []string {
	if s.pods == nil {
		return []string{"history-1"}
	}
	return s.pods()
}

func podWith(name string, ready corev1.ConditionStatus) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Ports: []corev1.ContainerPort{{Name: "https", ContainerPort: 8443}}}}},
		Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}},
	}
}

// forward connects each stream of data with the history server.
func (s apiServer) forward(w http.ResponseWriter, r *http.Request, pod string) {
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set(httpstream.HeaderProtocolVersion, portforward.PortForwardProtocolV1Name)
	connection := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(stream httpstream.Stream, replied <-chan struct{}) error {
		go func() {
			<-replied
			s.serve(stream)
		}()
		return nil
	})
	if connection != nil {
		if s.connections != nil {
			s.connections(pod, connection)
		}
		<-connection.CloseChan()
	}
}

func (s apiServer) serve(stream httpstream.Stream) {
	defer stream.Close()
	if stream.Headers().Get(corev1.StreamType) != corev1.StreamTypeData {
		return
	}
	if port := stream.Headers().Get(corev1.PortHeader); port != "8443" {
		s.Errorf("port %s", port)
	}
	to, err := net.Dial("tcp", s.history)
	if err != nil {
		s.Error(err)
		return
	}
	go func() {
		_, _ = io.Copy(to, stream)
		_ = to.Close()
	}()
	_, _ = io.Copy(stream, to)
}

// The server is reached through the API server. Its certificate is for the name of its Service.
func TestForward(t *testing.T) {
	certificate, key := certificateOf(t, "history.frameworkcontroller.svc")
	pair, err := tls.X509KeyPair(certificate, key)
	require.NoError(t, err)
	history := httptest.NewUnstartedServer(http.HandlerFunc(who))
	history.Config.ErrorLog = log.New(io.Discard, "", 0)
	history.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	history.StartTLS()
	t.Cleanup(history.Close)
	other, _ := certificateOf(t, "history.frameworkcontroller.svc")
	for name, c := range map[string]struct {
		published map[string]string
		insecure  bool
		want, err string
	}{
		"verified":         {published: map[string]string{caKey: string(certificate)}, want: "Bearer t"},
		"another one":      {published: map[string]string{caKey: string(other)}, err: "certificate"},
		"none is known":    {err: "no certificate of an authority is published"},
		"none is asked of": {insecure: true, want: "Bearer t"},
	} {
		t.Run(name, func(t *testing.T) {
			api := httptest.NewServer(apiServer{T: t, history: history.Listener.Addr().String(), published: c.published})
			t.Cleanup(api.Close)
			client, err := Connect(t.Context(), &rest.Config{Host: api.URL, BearerToken: "t"}, Options{Insecure: c.insecure, Timeout: 10 * time.Second})
			if err == nil {
				defer client.Close()
				if c.err == "" {
					require.Equal(t, c.want, askedBy(t, client))
					require.Equal(t, c.want, askedBy(t, client))
					return
				}
				_, err = client.Framework(t.Context(), "a", "b", "")
			}
			if c.err == "" {
				require.NoError(t, err)
			}
			require.ErrorContains(t, err, c.err)
			require.NotErrorAs(t, err, new(*Refusal))
		})
	}
}

// If the Pod of the server is deleted while a client is open, requests fail until another Pod is ready, and then continue with that Pod.
func TestForwardFollowsThePod(t *testing.T) {
	certificate, key := certificateOf(t, "history.frameworkcontroller.svc")
	pair, err := tls.X509KeyPair(certificate, key)
	require.NoError(t, err)
	history := httptest.NewUnstartedServer(http.HandlerFunc(who))
	history.Config.ErrorLog = log.New(io.Discard, "", 0)
	history.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	history.StartTLS()
	t.Cleanup(history.Close)
	var mutex sync.Mutex
	pods, forwarded := []string{"history-1"}, []string{}
	var last httpstream.Connection
	become := func(names ...string) {
		mutex.Lock()
		defer mutex.Unlock()
		pods = names
		_ = last.Close() // as the API server does when a Pod is gone
	}
	api := httptest.NewServer(apiServer{T: t, history: history.Listener.Addr().String(), published: map[string]string{caKey: string(certificate)},
		pods: func() []string {
			mutex.Lock()
			defer mutex.Unlock()
			return pods
		},
		connections: func(pod string, c httpstream.Connection) {
			mutex.Lock()
			defer mutex.Unlock()
			forwarded, last = append(forwarded, pod), c
		}})
	t.Cleanup(api.Close)
	client, err := Connect(t.Context(), &rest.Config{Host: api.URL, BearerToken: "t"}, Options{Timeout: 10 * time.Second})
	require.NoError(t, err)
	defer client.Close()
	require.Equal(t, "Bearer t", askedBy(t, client))
	become("history-2")
	require.Equal(t, "Bearer t", askedBy(t, client))
	become()
	_, err = client.Framework(t.Context(), "a", "b", "")
	require.ErrorContains(t, err, "none of the 1 Pods of Service history")
	w := httptest.NewRecorder()
	client.Proxy().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:1/api/v1/frameworks", http.NoBody))
	require.Equal(t, http.StatusBadGateway, w.Code)
	become("history-3")
	require.Equal(t, "Bearer t", askedBy(t, client))
	mutex.Lock()
	defer mutex.Unlock()
	require.Equal(t, []string{"history-1", "history-2", "history-3"}, slices.Compact(forwarded))
}
