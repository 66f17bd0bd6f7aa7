package server

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
)

// audienceCluster has tokens with the audience that they are named after. Everybody may read everything.
func audienceCluster(writerAudience string) *Access {
	token := func(s authentication.TokenReviewSpec) authentication.TokenReviewStatus {
		asked := s.Audiences
		if len(asked) == 0 {
			asked = []string{"api"}
		}
		switch {
		case slices.Contains(asked, s.Token):
			return authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{s.Token}, User: authentication.UserInfo{Username: "sink"}}
		case s.Token == "unaware": // as an authenticator without audiences answers
			return authentication.TokenReviewStatus{Authenticated: true, User: authentication.UserInfo{Username: "sink"}}
		case s.Token == "nameless":
			return authentication.TokenReviewStatus{Authenticated: true, Audiences: asked}
		}
		return authentication.TokenReviewStatus{}
	}
	everything := func(authorization.SubjectAccessReviewSpec) bool { return true }
	return ClusterAccess(&fakeCluster{token: token, access: everything}, []string{"sink"}, writerAudience)
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
