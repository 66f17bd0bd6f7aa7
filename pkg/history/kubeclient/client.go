package kubeclient

import (
	"context"
	"fmt"
	"io"

	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// Client sends requests to one API server.
type Client struct {
	core, authentication, authorization rest.Interface
}

var (
	scheme = func() *runtime.Scheme {
		s := runtime.NewScheme()
		for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, authentication.AddToScheme, authorization.AddToScheme} {
			utilruntime.Must(add(s))
		}
		return s
	}()
	codecs     = serializer.NewCodecFactory(scheme).WithoutConversion()
	parameters = runtime.NewParameterCodec(scheme)
)

// New returns a client for the API server of the config, which is not changed. QPS and Burst limit all its requests together. An error is
// about a file or a URL in the config; there is no request.
func New(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	config.NegotiatedSerializer = codecs
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	if config.RateLimiter == nil && config.QPS > 0 { // one limit for all groups
		config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(config.QPS, max(config.Burst, 1))
	}
	http, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	c := &Client{}
	for _, group := range []struct {
		client  *rest.Interface
		path    string
		version schema.GroupVersion
	}{
		{&c.core, "/api", corev1.SchemeGroupVersion},
		{&c.authentication, "/apis", authentication.SchemeGroupVersion},
		{&c.authorization, "/apis", authorization.SchemeGroupVersion},
	} {
		config.APIPath, config.GroupVersion = group.path, &group.version
		if *group.client, err = rest.RESTClientForConfigAndClient(config, http); err != nil {
			return nil, fmt.Errorf("connecting: %w", err)
		}
	}
	return c, nil
}

// Pod returns one Pod.
func (c *Client) Pod(ctx context.Context, namespace, name string) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	return pod, c.core.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod)
}

// Pods returns a page of the Pods of all namespaces.
func (c *Client) Pods(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error) {
	pods := &corev1.PodList{}
	return pods, c.core.Get().Resource("pods").VersionedParams(&options, parameters).Do(ctx).Into(pods)
}

// Log opens the log of a container. The caller closes it.
func (c *Client) Log(ctx context.Context, namespace, pod string, options corev1.PodLogOptions) (io.ReadCloser, error) {
	return c.core.Get().Namespace(namespace).Resource("pods").Name(pod).SubResource("log").VersionedParams(&options, parameters).Stream(ctx)
}

// ConfigMap returns one ConfigMap.
func (c *Client) ConfigMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	found := &corev1.ConfigMap{}
	return found, c.core.Get().Namespace(namespace).Resource("configmaps").Name(name).Do(ctx).Into(found)
}

// ReviewToken asks who the bearer of a token is.
func (c *Client) ReviewToken(ctx context.Context, spec authentication.TokenReviewSpec) (authentication.TokenReviewStatus, error) {
	answer := &authentication.TokenReview{}
	err := c.authentication.Post().Resource("tokenreviews").Body(&authentication.TokenReview{Spec: spec}).Do(ctx).Into(answer)
	return answer.Status, err
}

// ReviewAccess asks whether a user may do something.
func (c *Client) ReviewAccess(ctx context.Context, spec authorization.SubjectAccessReviewSpec) (allowed bool, err error) {
	answer := &authorization.SubjectAccessReview{}
	err = c.authorization.Post().Resource("subjectaccessreviews").Body(&authorization.SubjectAccessReview{Spec: spec}).Do(ctx).Into(answer)
	return answer.Status.Allowed, err
}
