package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// fakeCluster answers with these functions, and has one ConfigMap at most.
type fakeCluster struct {
	token     func(authentication.TokenReviewSpec) authentication.TokenReviewStatus
	access    func(authorization.SubjectAccessReviewSpec) (allowed bool)
	configMap atomic.Pointer[corev1.ConfigMap]
}

func (c *fakeCluster) ReviewToken(_ context.Context, s authentication.TokenReviewSpec) (authentication.TokenReviewStatus, error) {
	return c.token(s), nil
}

func (c *fakeCluster) ReviewAccess(_ context.Context, s authorization.SubjectAccessReviewSpec) (allowed bool, err error) {
	return c.access(s), nil
}

func (c *fakeCluster) ConfigMap(_ context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	found := c.configMap.Load()
	if found == nil || found.Namespace != namespace || found.Name != name {
		return nil, apierrors.NewNotFound(corev1.Resource("configmaps"), name)
	}
	return found, nil
}

// cluster knows the tokens "ann", who may read namespace prod, "bob", who may not read logs there, and "sink", who may store.
func cluster() *Access {
	c := &fakeCluster{
		token: func(s authentication.TokenReviewSpec) (status authentication.TokenReviewStatus) {
			if slices.Contains([]string{"ann", "bob", "sink"}, s.Token) {
				status = authentication.TokenReviewStatus{Authenticated: true, User: authentication.UserInfo{Username: s.Token}}
			}
			return status
		},
		access: func(s authorization.SubjectAccessReviewSpec) bool {
			of := s.ResourceAttributes
			return of.Verb == "get" && of.Namespace == "prod" && (s.User == "ann" || s.User == "bob" && of.Resource == "frameworks")
		},
	}
	return ClusterAccess(c, []string{"sink"}, "")
}

func handler(t *testing.T) http.Handler { return handlerOf(t, cluster()) }

func handlerOf(t *testing.T, access *Access) http.Handler {
	return New(Options{Store: database(t), Access: access, Log: hclog.NewNullLogger()}).Handler()
}

func database(t *testing.T) *store.Store {
	s, err := store.Open(t.Context(), store.Options{Database: filepath.Join(t.TempDir(), "h.db"), Log: hclog.NewNullLogger()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func ask(h http.Handler, method, path, token string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", protobuf)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Users see the namespaces that they may read, and only writers store.
func TestAccess(t *testing.T) {
	h := handler(t)
	body, err := proto.Marshal(&pluginpb.StoreRequest{Records: []*pluginpb.Record{{Key: "k", Time: timestamppb.Now(),
		Framework: &pluginpb.Framework{Namespace: "prod", Name: "train", Uid: "u"}}}})
	require.NoError(t, err)
	for _, c := range []struct {
		method, path, token string
		status              int
	}{
		{"POST", "/api/v1/records", "", 401},
		{"POST", "/api/v1/records", "ann", 403},
		{"POST", "/api/v1/records", "sink", 200},
		{"GET", "/api/v1/frameworks?namespace=prod", "ann", 200},
		{"GET", "/api/v1/frameworks", "ann", 403},
		{"GET", "/api/v1/frameworks?namespace=dev", "ann", 403},
		{"GET", "/api/v1/frameworks/prod/train", "ann", 200},
		{"GET", "/api/v1/frameworks/prod/train/tasks?node=n1", "ann", 200},
		{"GET", "/api/v1/frameworks/prod/train/first-failure", "ann", 404}, // no attempt has ended
		{"GET", "/api/v1/frameworks/prod/none/first-failure", "ann", 404},
		{"GET", "/api/v1/frameworks/dev/train/first-failure", "ann", 403},
		{"GET", "/api/v1/frameworks/prod/none", "ann", 404},
		{"GET", "/api/v1/frameworks/dev/train", "ann", 403},
		{"GET", "/api/v1/report?namespace=prod&by=none", "ann", 400},
		{"GET", "/api/v1/verdicts?namespace=prod&plugin=p", "ann", 200},
		{"GET", "/api/v1/verdicts?namespace=prod&name=none", "ann", 404},
		{"GET", "/api/v1/verdicts?name=train", "ann", 403},
		{"GET", "/api/v1/verdicts", "ann", 403},
		{"GET", "/api/v1/shadow?namespace=prod&shadowRule=300", "ann", 200},
		{"GET", "/api/v1/shadow?namespace=prod&shadowRule=x", "ann", 400},
		{"GET", "/api/v1/shadow", "ann", 403},
		{"GET", "/api/v1/shadow/verdicts?namespace=prod&differs=true", "ann", 200},
		{"GET", "/api/v1/shadow/verdicts?namespace=prod&name=none", "ann", 404},
		{"GET", "/api/v1/shadow/verdicts?namespace=dev", "ann", 403},
		{"GET", "/api/v1/failures?namespace=prod&by=node", "ann", 200},
		{"GET", "/api/v1/failures?namespace=prod&by=none", "ann", 400},
		{"GET", "/api/v1/failures?namespace=dev", "ann", 403},
		{"GET", "/api/v1/frameworks/prod/train/object", "ann", 404},
		{"GET", "/api/v1/frameworks/dev/train/object", "ann", 403},
		{"GET", "/api/v1/frameworks/prod/train/tasks/w/0/object?attempt=1", "ann", 404},
		{"GET", "/api/v1/frameworks/prod/train/tasks/w/first/object", "ann", 400},
		{"GET", "/api/v1/frameworks/dev/train/tasks/w/0/object", "ann", 403},
		{"GET", "/api/v1/frameworks?namespace=prod&limit=0", "ann", 400},
		{"GET", "/api/v1/frameworks?namespace=prod&nmae=x", "ann", 400},
		{"GET", "/api/v1/frameworks?namespace=prod", "wrong", 401},
		{"GET", "/readyz", "", 200},
	} {
		require.Equal(t, c.status, ask(h, c.method, c.path, c.token, body).Code, "%+v", c)
	}
	require.Contains(t, ask(h, "GET", "/api/v1/frameworks", "ann", nil).Body.String(), "--namespace")
}

// The document has all paths of the contract.
func TestOpenAPI(t *testing.T) {
	answer := ask(handler(t), "GET", "/api/v1/openapi.json", "", nil)
	var document struct{ Paths map[string]any }
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &document))
	for path := range strings.FieldsSeq("records frameworks frameworks/{namespace}/{name} frameworks/{namespace}/{name}/tasks frameworks/{namespace}/{name}/first-failure tasks report changes openapi.json " +
		"frameworks/{namespace}/{name}/object frameworks/{namespace}/{name}/tasks/{role}/{index}/object verdicts shadow shadow/verdicts failures " +
		"logs/collect frameworks/{namespace}/{name}/logs frameworks/{namespace}/{name}/tasks/{role}/{index}/log frameworks/{namespace}/{name}/around") {
		require.Contains(t, document.Paths, "/api/v1/"+path)
	}
}
