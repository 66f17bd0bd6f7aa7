package kubectl

import (
	"context"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// answerWithin is how long the API server may take for one answer, unless --request-timeout says something else.
const answerWithin = 30 * time.Second

// cluster is what the flags say: an API server, and a namespace.
type cluster struct {
	frameworks rest.Interface
	objects    dynamic.NamespaceableResourceInterface // Frameworks too, to watch and to delete
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
	config.QPS = -1 // a person has typed it
	config.WarningHandler = rest.NewWarningWriter(c.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
	namespace, _, err := c.flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, err
	}
	found := &cluster{namespace: namespace, server: config.Host, within: config.Timeout}
	if found.within == 0 {
		found.within = answerWithin
	}
	config.Timeout = 0 // also of watches, which are to last
	if found.core, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	found.objects = objects.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural))
	own := rest.CopyConfig(config)
	own.GroupVersion, own.APIPath = &v1.SchemeGroupVersion, "/apis"
	own.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	own.ContentType, own.AcceptContentTypes = "application/json", "application/json"
	found.frameworks, err = rest.RESTClientFor(own)
	return found, err
}

// patient bounds how long one answer is waited for.
func (k *cluster) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, k.within)
}
