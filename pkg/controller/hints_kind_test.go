package controller

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// oneCRD is an API server with one kind of hint objects, whose CRD appears and disappears. A successful lookup stays valid until
// the next one.
type oneCRD struct {
	*dynamicfake.FakeDynamicClient
	meta.RESTMapper
	goes  atomic.Bool
	mu    sync.Mutex
	known bool
}

var groupsOfTest = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "groups"}

func newOneCRD() *oneCRD {
	kinds := meta.NewDefaultRESTMapper(nil)
	kinds.Add(groupsOfTest.GroupVersion().WithKind("Group"), meta.RESTScopeNamespace)
	lists := map[schema.GroupVersionResource]string{groupsOfTest: "GroupList"}
	c := &oneCRD{FakeDynamicClient: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists), RESTMapper: kinds}
	c.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return c.goes.Load(), nil, apierrors.NewGenericServerResponse(http.StatusNotFound, a.GetVerb(), groupsOfTest.GroupResource(), "a-0", "404 page not found", 0, true)
	})
	return c
}

func (c *oneCRD) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known && c.goes.Load() {
		return nil, &meta.NoKindMatchError{GroupKind: kind, SearchedVersions: versions}
	}
	c.known = true
	return c.RESTMapper.RESTMapping(kind, versions...)
}

func (c *oneCRD) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = false
}

// grouping is a scheduler that wants an object, and looks at it.
type grouping struct {
	queueing
	sawNone *atomic.Bool // it was called without its object
}

func (grouping) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	object := &pluginpb.Object{Json: []byte(`{"apiVersion": "example.com/v1", "kind": "Group", "metadata": {"name": "a-0"}}`)}
	return &pluginpb.HintResponse{Wait: true, Objects: []*pluginpb.Object{object}}, pluginhost.Source{Plugin: "hints"}, nil
}

func (s grouping) MayCreate(ctx context.Context, name string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	if len(q.GetObjects()[0]) == 0 {
		s.sawNone.Store(true)
	}
	return s.queueing.MayCreate(ctx, name, q)
}

// If a CRD is deleted, all its objects vanish. A waiting gang reports this, and continues when the CRD is back, with a new
// object: nobody has deleted the old one.
func TestKindOfHintObjectsGoesAndComes(t *testing.T) {
	inBubble(t, func(w *world) {
		crd, s := newOneCRD(), grouping{newQueueing(), new(atomic.Bool)}
		w.adjust = func(c *apiserver.Clients) { c.Objects, c.Kinds = crd, crd }
		s.say(&pluginpb.MayCreateResponse{Reason: "queued", RetryAfterSeconds: 1})
		w.startWith(s)
		w.create("a")
		w.conditionBecomes("a", v1.ConditionWaiting, "True because SchedulerNotReady")
		crd.goes.Store(true)
		require.NoError(t, crd.Tracker().Delete(groupsOfTest, "default", "a-0"))
		w.conditionBecomes("a", v1.ConditionWaiting, "True because HintsObjectsFailed")
		crd.goes.Store(false)
		w.conditionBecomes("a", v1.ConditionWaiting, "True because SchedulerNotReady")
		if _, err := crd.Resource(groupsOfTest).Namespace("default").Get(t.Context(), "a-0", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
		s.say(&pluginpb.MayCreateResponse{Yes: true})
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		if s.sawNone.Load() {
			t.Error("the scheduler was told that somebody has deleted its object")
		}
	})
}
