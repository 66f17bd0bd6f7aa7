package apiserver

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
)

// metadataOnly asks for an answer with only the metadata of the object: there is no need to send back the object that was just
// written.
const metadataOnly = "application/vnd.kubernetes.protobuf" + partial + ",application/json" + partial

const partial = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

// metadataDecoder reads such answers.
var metadataDecoder = func() runtime.Decoder {
	scheme := runtime.NewScheme()
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	return serializer.NewCodecFactory(scheme).UniversalDeserializer()
}()

// newRESTClient returns a client for raw requests to one API group.
func newRESTClient(base *rest.Config, group schema.GroupVersion) (rest.Interface, error) {
	c := rest.CopyConfig(base)
	c.APIPath, c.GroupVersion = "/apis", &group
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	return client, nil
}

// Send sends a request and returns the body of the answer. Result.Raw by itself does not read the API server's message in an
// error. Long messages are shortened here, before anybody keeps them.
func Send(ctx context.Context, r *rest.Request) ([]byte, error) {
	answer := r.Do(ctx)
	if err := answer.Error(); err != nil {
		return nil, shortened(err)
	}
	return answer.Raw()
}

// SendForMetadata sends a request and returns the metadata of the resulting object.
func SendForMetadata(ctx context.Context, r *rest.Request) (*metav1.ObjectMeta, error) {
	body, err := Send(ctx, r.SetHeader("Accept", metadataOnly))
	if err != nil {
		return nil, err
	}
	return metadataIn(body)
}

func metadataIn(body []byte) (*metav1.ObjectMeta, error) {
	answer, _, err := metadataDecoder.Decode(body, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the API server's answer: %w", err)
	}
	object, ok := answer.(*metav1.PartialObjectMetadata)
	if !ok {
		return nil, fmt.Errorf("the API server answered with a %T instead of an object's metadata", answer)
	}
	return &object.ObjectMeta, nil
}

// Warnings collects the warnings in the answers to one request.
type Warnings struct {
	mu    sync.Mutex
	texts []string
}

type warningsKey struct{}

// WithWarnings returns a context whose requests add their warnings to w.
func WithWarnings(ctx context.Context, w *Warnings) context.Context {
	return context.WithValue(ctx, warningsKey{}, w)
}

// warningCollector passes warnings to the collector in the context, and drops the others.
type warningCollector struct{}

func (warningCollector) HandleWarningHeaderWithContext(ctx context.Context, code int, _ string, text string) {
	w, ok := ctx.Value(warningsKey{}).(*Warnings)
	if !ok || code != 299 || text == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, text)
}

// Texts returns the warnings so far.
func (w *Warnings) Texts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.texts
}
