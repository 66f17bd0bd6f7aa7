package server

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// audienceCluster has tokens with the audience that they are named after. Everybody may read everything.
func audienceCluster(writerAudience string) *Access {
	client := fake.NewClientset()
	client.PrependReactor("create", "tokenreviews", func(a clienttesting.Action) (bool, runtime.Object, error) {
		r := a.(clienttesting.CreateAction).GetObject().(*authentication.TokenReview)
		asked := r.Spec.Audiences
		if len(asked) == 0 {
			asked = []string{"api"}
		}
		switch {
		case slices.Contains(asked, r.Spec.Token):
			r.Status = authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{r.Spec.Token}, User: authentication.UserInfo{Username: "sink"}}
		case r.Spec.Token == "unaware": // as an authenticator without audiences answers
			r.Status = authentication.TokenReviewStatus{Authenticated: true, User: authentication.UserInfo{Username: "sink"}}
		case r.Spec.Token == "nameless":
			r.Status = authentication.TokenReviewStatus{Authenticated: true, Audiences: asked}
		}
		return true, r, nil
	})
	client.PrependReactor("create", "subjectaccessreviews", func(a clienttesting.Action) (bool, runtime.Object, error) {
		r := a.(clienttesting.CreateAction).GetObject().(*authorization.SubjectAccessReview)
		r.Status.Allowed = true
		return true, r, nil
	})
	return ClusterAccess(client, []string{"sink"}, writerAudience)
}

// A token can store only if it is for this server, and read only if it is for the API server. A token of another cluster can do neither.
func TestAudiences(t *testing.T) {
	for _, c := range []struct {
		audience, token string
		store, read     int
	}{
		{"", "api", 200, 200},
		{"", "history", 401, 401},
		{"", "foreign", 401, 401},
		{"", "nameless", 401, 401},
		{"history", "history", 200, 401},
		{"history", "api", 401, 200},
		{"history", "foreign", 401, 401},
		{"history", "unaware", 401, 200},
		{"history", "nameless", 401, 401},
	} {
		h := handlerOf(t, audienceCluster(c.audience))
		for range 2 { // the second answer is from the cache
			require.Equal(t, c.store, ask(h, "POST", "/api/v1/records", c.token, nil).Code, "%+v", c)
			require.Equal(t, c.read, ask(h, "GET", "/api/v1/frameworks", c.token, nil).Code, "%+v", c)
		}
	}
}
