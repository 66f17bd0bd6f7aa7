package historyclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// podPort is a port of a Pod.
type podPort struct {
	namespace, pod string
	port           int32
}

// forwarding leads connections to a ready Pod of a Service, by a port of this machine, on loopback. When that Pod has gone, the next connection leads
// to another one.
type forwarding struct {
	config  *rest.Config
	core    kubernetes.Interface
	service *corev1.Service
	// within limits the time for a new port; 0 for no limit.
	within time.Duration
	// life ends with the client.
	life  context.Context
	close func()
	// turn has one place, for who looks at now or changes it.
	turn chan struct{}
	now  *forwarded
}

// forwarded is one port that is forwarded to one Pod.
type forwarded struct {
	local uint16
	made  time.Time
	// ended is closed when the port leads nowhere any longer.
	ended <-chan struct{}
	stop  func()
}

func newForwarding(ctx context.Context, config *rest.Config, core kubernetes.Interface, s *corev1.Service, within time.Duration) *forwarding {
	f := &forwarding{config: config, core: core, service: s, within: within, turn: make(chan struct{}, 1)}
	f.life, f.close = context.WithCancel(ctx)
	return f
}

// dial connects to the server, whatever the address is.
func (f *forwarding) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	port, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
}

// open returns the port that leads to the server, and forwards one if necessary.
func (f *forwarding) open(ctx context.Context) (local uint16, err error) {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if f.now != nil {
		select {
		case <-f.now.ended:
			f.now.stop()
			f.now = nil
		default:
			return f.now.local, nil
		}
	}
	pod, port, err := podOf(ctx, f.core, f.service)
	if err != nil {
		return 0, err
	}
	if f.now, err = f.forward(ctx, podPort{f.service.Namespace, pod, port}); err != nil {
		return 0, fmt.Errorf("forwarding a port to Pod %s in namespace %s: %w", pod, f.service.Namespace, err)
	}
	return f.now.local, nil
}

// drop gives up a port that was made before a time, so that the next connection gets another one: a node that has gone closes no connections.
func (f *forwarding) drop(ctx context.Context, before time.Time) {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return
	}
	if f.now != nil && f.now.made.Before(before) {
		f.now.stop()
		f.now = nil
	}
}

// forward makes a port. Only the wait for it ends with ctx.
func (f *forwarding) forward(ctx context.Context, to podPort) (*forwarded, error) {
	dialer, err := dialerTo(f.config, to)
	if err != nil {
		return nil, err
	}
	life, stop := context.WithCancel(f.life)
	ready, ended, failed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	p, err := portforward.NewOnAddressesForStreamingWithContext(life, dialer, []string{"127.0.0.1"}, []string{fmt.Sprintf("0:%d", to.port)}, ready, io.Discard, io.Discard)
	if err != nil {
		stop()
		return nil, err
	}
	go func() {
		defer close(ended)
		failed <- p.ForwardPorts()
	}()
	var late <-chan time.Time
	if f.within > 0 {
		late = time.After(f.within)
	}
	select {
	case <-ready:
	case err = <-failed:
	case <-late:
		err = fmt.Errorf("timed out after %s", f.within)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		stop()
		return nil, err
	}
	ports, err := p.GetPorts()
	if err == nil && len(ports) == 0 {
		err = errors.New("no port of this machine is free")
	}
	if err != nil {
		stop()
		return nil, err
	}
	return &forwarded{local: ports[0].Local, made: time.Now(), ended: ended, stop: stop}, nil
}

// reconnecting sends a request again if its connection was lost, over another port. The requests of a client only read.
type reconnecting struct {
	*forwarding
	next http.RoundTripper
}

func (r reconnecting) RoundTrip(request *http.Request) (*http.Response, error) {
	begun := time.Now()
	answer, err := r.next.RoundTrip(request)
	if err == nil || request.Context().Err() != nil || errors.As(err, new(*tls.CertificateVerificationError)) {
		return answer, err
	}
	r.drop(request.Context(), begun)
	return r.next.RoundTrip(request)
}

// dialerTo uses WebSockets, and SPDY where the API server or a proxy before it knows no WebSockets, as kubectl port-forward does.
func dialerTo(config *rest.Config, to podPort) (httpstream.Dialer, error) {
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	at := core.CoreV1().RESTClient().Post().Resource("pods").Namespace(to.namespace).Name(to.pod).SubResource("portforward").URL()
	sender, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, err
	}
	older := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: sender}, http.MethodPost, at)
	newer, err := portforward.NewSPDYOverWebsocketDialerForStreaming(at, config)
	if err != nil {
		return nil, err
	}
	return portforward.NewFallbackDialerForStreaming(newer, older, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	}), nil
}
