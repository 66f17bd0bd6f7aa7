package kubectl

import (
	"context"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// answerWithin limits the time for one answer of the API server, unless --request-timeout is set.
const answerWithin = 30 * time.Second

// cluster is the API server and the namespace chosen by the flags.
type cluster struct {
	frameworks rest.Interface
	objects    dynamic.NamespaceableResourceInterface // Frameworks too, to watch and to delete
	metadata   metadata.Getter                        // Frameworks, too
	core       kubernetes.Interface
	namespace  string
	server     string
	within     time.Duration
}

func (c *caller) cluster() (*cluster, error) {
	config, err := c.flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // a person types the commands
	config.WarningHandler = rest.NewWarningWriter(c.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
	namespace, _, err := c.flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, err
	}
	found := &cluster{namespace: namespace, server: config.Host, within: config.Timeout}
	if found.within == 0 {
		found.within = answerWithin
	}
	config.Timeout = 0 // watches, which have no time limit, use it, too
	if found.core, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	found.objects = objects.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural))
	only, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	found.metadata = only.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural))
	own := rest.CopyConfig(config)
	own.GroupVersion, own.APIPath = &v1.SchemeGroupVersion, "/apis"
	own.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	own.ContentType, own.AcceptContentTypes = "application/json", "application/json"
	found.frameworks, err = rest.RESTClientFor(own)
	return found, err
}

// patient bounds the wait for one answer.
func (k *cluster) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, k.within)
}
