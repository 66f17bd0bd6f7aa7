package apiserver

import (
	"cmp"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/discovery"
	cachedindex "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/flowcontrol"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Clients are the connections to the API server. Watches and writes use separate ones, since requests beyond the capacity of a
// connection would delay watch events (decisions, "Client rate").
type Clients struct {
	// watch Frameworks by their metadata, ConfigMaps in full, and the needed parts of Pods
	FrameworkWatch metadata.Interface
	CoreWatch      kubernetes.Interface
	PodWatch       rest.Interface
	// checks whether the API server is there, with a short timeout
	looks rest.Interface
	// read and write
	Core       kubernetes.Interface
	Frameworks rest.Interface
	extensions rest.Interface
	Metadata   metadata.Interface
	// objects and kinds of all sorts, for scheduler hints
	Objects     dynamic.Interface
	ObjectWatch dynamic.Interface
	Kinds       meta.ResettableRESTMapper

	Pause time.Duration // between reads and writes, if their rate is limited; 0 otherwise
}

// RequestTimeout limits every request that is not a watch, including its repetitions. With leader election, each attempt of a
// write has less time than that (election.Timing).
const RequestTimeout = 30 * time.Second

// NewClients connects to the API server of the config, which is not changed. Its QPS and Burst limit the rate of all reads and
// writes together; without a positive QPS there is no limit, and the API server's priority and fairness protect it. Watches
// are not limited. Watched Pods are decoded by the codecs.
func NewClients(base *rest.Config, pods serializer.CodecFactory) (*Clients, error) {
	watches, writes := watchConnection(base), connection(base)
	writes.Timeout = RequestTimeout
	if base.QPS > 0 {
		writes.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(base.QPS, max(base.Burst, 1))
	}
	c := &Clients{}
	if base.QPS > 0 {
		c.Pause = time.Duration(float64(time.Second) / float64(base.QPS))
	}
	return c, cmp.Or(
		assign(&c.FrameworkWatch, func() (metadata.Interface, error) { return metadata.NewForConfig(redialing(watches)) }),
		assign(&c.CoreWatch, func() (kubernetes.Interface, error) { return kubernetes.NewForConfig(protobuf(redialing(watches))) }),
		assign(&c.PodWatch, func() (rest.Interface, error) { return newPodWatch(redialing(watches), pods) }),
		assign(&c.ObjectWatch, func() (dynamic.Interface, error) { return dynamic.NewForConfig(redialing(watches)) }),
		assign(&c.looks, func() (rest.Interface, error) { return newRESTClient(watches, v1.SchemeGroupVersion) }),
		assign(&c.Core, func() (kubernetes.Interface, error) { return newCoreWriter(writes) }),
		assign(&c.Frameworks, func() (rest.Interface, error) { return newRESTClient(writes, v1.SchemeGroupVersion) }),
		assign(&c.Metadata, func() (metadata.Interface, error) { return metadata.NewForConfig(writes) }),
		assign(&c.Objects, func() (dynamic.Interface, error) { return dynamic.NewForConfig(writes) }),
		assign(&c.Kinds, func() (meta.ResettableRESTMapper, error) { return newKinds(writes) }),
		assign(&c.extensions, func() (rest.Interface, error) { return newRESTClient(writes, extensionsGroupVersion) }),
	)
}

func newCoreWriter(c *rest.Config) (kubernetes.Interface, error) {
	client, err := rest.HTTPClientFor(protobuf(c))
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	return kubernetes.NewForConfigAndClient(protobuf(c), client)
}

// newPodWatch returns a client that decodes Pods with these codecs.
func newPodWatch(c *rest.Config, pods serializer.CodecFactory) (rest.Interface, error) {
	c = protobuf(c)
	c.APIPath, c.GroupVersion = "/api", &corev1.SchemeGroupVersion
	c.NegotiatedSerializer = pods.WithoutConversion()
	return rest.RESTClientFor(c)
}

// newKinds returns a mapper that looks up a kind when it is first used.
func newKinds(c *rest.Config) (meta.ResettableRESTMapper, error) {
	client, err := discovery.NewDiscoveryClientForConfig(c)
	if err != nil {
		return nil, err
	}
	return restmapper.NewDeferredDiscoveryRESTMapper(cachedindex.NewMemCacheClient(client)), nil
}

func protobuf(c *rest.Config) *rest.Config {
	c = rest.CopyConfig(c)
	c.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	c.ContentType = "application/vnd.kubernetes.protobuf"
	return c
}

func assign[T any](to *T, make func() (T, error)) (err error) {
	*to, err = make()
	return err
}
