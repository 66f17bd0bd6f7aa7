package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
)

// Cluster is the part of the API server that knows who may read and write; a kubeclient.Client has it.
type Cluster interface {
	ReviewToken(context.Context, authentication.TokenReviewSpec) (authentication.TokenReviewStatus, error)
	ReviewAccess(context.Context, authorization.SubjectAccessReviewSpec) (allowed bool, err error)
	ConfigMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error)
}

// Access decides who may read and write, by asking the API server.
type Access struct {
	cluster  Cluster
	writers  []string
	audience string
	authorities
	users  *cache[digest, authentication.UserInfo]
	rights *cache[digest, bool]
}

type digest [sha256.Size]byte

// ClusterAccess asks this API server. Writers are the names of users that may store records. Their tokens are for the audience,
// or for the API server if it is empty; the tokens of readers are always for the API server.
func ClusterAccess(c Cluster, writers []string, audience string) *Access {
	return &Access{cluster: c, writers: writers, audience: audience, authorities: authorities{cluster: c},
		users: newCache[digest, authentication.UserInfo](), rights: newCache[digest, bool]()}
}

// Reading needs the permission to get these resources.
var (
	frameworks = authorization.ResourceAttributes{Group: "frameworkcontroller.microsoft.com", Version: "v1", Resource: "frameworks"}
	podLogs    = authorization.ResourceAttributes{Version: "v1", Resource: "pods", Subresource: "log"}
)

// mayRead fails unless the sender may get Frameworks in the namespace; in all if it is empty.
func (s *Server) mayRead(r *http.Request, namespace string) error {
	return s.mayGet(r, namespace, "Frameworks", frameworks)
}

// reader returns the name of the sender; empty if authentication is off.
func (s *Server) reader(r *http.Request) (name string, err error) {
	if s.access == nil {
		return "", nil
	}
	user, err := s.access.who(r, "")
	return user.Username, err
}

// mayReadLogs fails unless the sender may also read the logs of Pods there.
func (s *Server) mayReadLogs(r *http.Request, namespace string) error {
	if err := s.mayRead(r, namespace); err != nil {
		return err
	}
	return s.mayGet(r, namespace, "pods/log", podLogs)
}

func (s *Server) mayGet(r *http.Request, namespace, kind string, of authorization.ResourceAttributes) error {
	if s.access == nil {
		return nil
	}
	user, err := s.access.who(r, "")
	if err != nil {
		return err
	}
	of.Verb, of.Namespace = "get", namespace
	allowed, err := s.access.may(r.Context(), user, of)
	switch {
	case err != nil:
		return err
	case allowed:
		return nil
	case namespace == "":
		return problem(http.StatusForbidden, "user %q may not get %s in all namespaces: name one with --namespace", user.Username, kind)
	}
	return problem(http.StatusForbidden, "user %q may not get %s in namespace %q", user.Username, kind, namespace)
}

// mayWrite fails unless the sender is one of the writers.
func (s *Server) mayWrite(r *http.Request) error {
	if s.access == nil {
		return nil
	}
	user, err := s.access.who(r, s.access.audience)
	if err != nil {
		return err
	}
	if !slices.Contains(s.access.writers, user.Username) {
		return problem(http.StatusForbidden, "user %q may not store records: the server needs --writer=%s", user.Username, user.Username)
	}
	return nil
}

// who returns the user of a bearer token, or else of a client certificate.
func (a *Access) who(r *http.Request, audience string) (user authentication.UserInfo, err error) {
	if header := r.Header.Get("Authorization"); header != "" {
		token, ok := strings.CutPrefix(header, "Bearer ")
		if !ok || token == "" {
			return user, problem(http.StatusUnauthorized, "header Authorization: not a bearer token")
		}
		user, err = a.users.get(digestOf(audience, token), func() (authentication.UserInfo, error) {
			return a.review(r.Context(), token, audience)
		})
	} else {
		user, err = a.certified(r)
	}
	if err == nil && user.Username == "" {
		err = problem(http.StatusUnauthorized, "the token or certificate is not valid in this cluster")
	}
	return user, err
}

// review returns the zero user if the token is not valid.
func (a *Access) review(ctx context.Context, token, audience string) (user authentication.UserInfo, err error) {
	spec := authentication.TokenReviewSpec{Token: token}
	if audience != "" {
		spec.Audiences = []string{audience}
	}
	answer, err := a.cluster.ReviewToken(ctx, spec)
	if err != nil {
		return user, fmt.Errorf("reviewing a token: %w", err)
	}
	if !answer.Authenticated || audience != "" && !slices.Contains(answer.Audiences, audience) {
		return user, nil
	}
	return answer.User, nil
}

func (a *Access) may(ctx context.Context, user authentication.UserInfo, what authorization.ResourceAttributes) (bool, error) {
	text, err := json.Marshal(user)
	if err != nil {
		return false, err
	}
	return a.rights.get(digestOf(what.String(), string(text)), func() (bool, error) {
		extra := map[string]authorization.ExtraValue{}
		for key, values := range user.Extra {
			extra[key] = authorization.ExtraValue(values)
		}
		allowed, err := a.cluster.ReviewAccess(ctx, authorization.SubjectAccessReviewSpec{
			User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra, ResourceAttributes: &what,
		})
		if err != nil {
			return false, fmt.Errorf("reviewing access: %w", err)
		}
		return allowed, nil
	})
}

func digestOf(first, second string) digest {
	return sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(first), first, second))
}
