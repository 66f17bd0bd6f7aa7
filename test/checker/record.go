package checker

import (
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Recorder watches all Frameworks, ConfigMaps and Pods of a cluster. It sees every version, unless the API server ends: a new one does not
// know the changes before it, which leaves a gap.
type Recorder struct {
	options RecordOptions

	mu    sync.Mutex
	begin uint64
	seen  map[string]*namespace
	gaps  []Gap
}

// RecordOptions restrict and extend the work of a Recorder.
type RecordOptions struct {
	// Skip reports whether an object is not recorded, for objects with too many or too large versions.
	Skip func(metav1.Object) bool
	// Seen is called for each version, recorded or not. For an object that is not recorded, it gets the metadata only. Each kind of objects
	// has a goroutine that calls it.
	Seen func(Observation)
}

// namespace is the recording of a namespace.
type namespace struct {
	observations []Observation
	faults       []error
}

// Record begins to watch now, and continues until ctx ends. Frameworks must be defined. Existing objects belong to the past: nobody has
// seen how they came about.
func Record(ctx context.Context, config *rest.Config, o RecordOptions) (*Recorder, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	r := &Recorder{options: o, seen: map[string]*namespace{}}
	for _, resource := range []schema.GroupVersionResource{
		v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural),
		corev1.SchemeGroupVersion.WithResource("configmaps"),
		corev1.SchemeGroupVersion.WithResource("pods"),
	} {
		f := &followed{client: client.Resource(resource), there: map[types.UID]Observation{}}
		if err := r.list(ctx, f); err != nil {
			return nil, fmt.Errorf("listing %s: %w", resource.Resource, err)
		}
		r.begins(f)
		go r.follow(ctx, f)
	}
	return r, nil
}

// History returns the observations up to now.
func (r *Recorder) History() History {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.empty()
	for _, n := range r.seen {
		h.Observations = append(h.Observations, n.observations...)
	}
	return h
}

// Take returns the observations in a namespace up to now, and forgets them. The error is the same as Err's.
func (r *Recorder) Take(namespace string) (History, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, n := r.empty(), r.of(namespace)
	h.Observations = n.observations
	delete(r.seen, namespace)
	return h, notUnderstood(n.faults)
}

// empty is a history without observations. The caller holds the lock.
func (r *Recorder) empty() History { return History{Begin: r.begin, Gaps: slices.Clone(r.gaps)} }

// of returns the recording of a namespace. The caller holds the lock.
func (r *Recorder) of(name string) *namespace {
	if r.seen[name] == nil {
		r.seen[name] = &namespace{}
	}
	return r.seen[name]
}

// Err describes the observations that could not be understood; nil if the history is complete.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var faults []error
	for _, n := range r.seen {
		faults = append(faults, n.faults...)
	}
	return notUnderstood(faults)
}

func notUnderstood(faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%d objects were not understood, the first: %w", len(faults), faults[0])
}

// begins makes the listed objects the past.
func (r *Recorder) begins(f *followed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin = max(r.begin, number(f.version))
}

func (r *Recorder) record(s Observation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.of(s.object().GetNamespace())
	n.observations = append(n.observations, s)
}

func (r *Recorder) fault(o *unstructured.Unstructured, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.of(o.GetNamespace())
	n.faults = append(n.faults, fmt.Errorf("%s %s/%s: %w", o.GetKind(), o.GetNamespace(), o.GetName(), err))
}

func (r *Recorder) skips(o metav1.Object) bool { return r.options.Skip != nil && r.options.Skip(o) }
