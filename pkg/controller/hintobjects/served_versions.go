package hintobjects

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// ServedVersions are the API groups that the API server serves, with their versions. They change when a CRD is installed, or with the API
// server.
//
// The cached discovery of client-go does not serve here: to list groups, it sends two requests, /api and /apis, reads the resources
// of all groups as well, with a request for each group and version where the API server cannot combine them, and then logs each group that
// is broken. It does not expire, and remembers no error.
type ServedVersions struct {
	client rest.Interface
	now    func() time.Time

	mu    sync.Mutex
	known []string // as group/version
	err   error    // why they are not known
	until time.Time
}

// servedFor is the time for which the served versions count as known, and unservedFor the same for an error. A whole queue of
// Frameworks asks once.
const (
	servedFor   = 30 * time.Second
	unservedFor = 2 * time.Second
)

// NewServedVersions returns the versions that the server of a client serves.
func NewServedVersions(client rest.Interface, now func() time.Time) *ServedVersions {
	return &ServedVersions{client: client, now: now}
}

// Get returns the versions, such as apps/v1, in the order of the API server; none if the request is forbidden.
func (s *ServedVersions) Get(ctx context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now().Before(s.until) {
		return s.known, s.err
	}
	known, err := askServed(ctx, s.client)
	if err != nil {
		s.known, s.err, s.until = nil, fmt.Errorf("asking which APIs are served: %w", err), s.now().Add(unservedFor)
	} else {
		s.known, s.err, s.until = known, nil, s.now().Add(servedFor)
	}
	return s.known, s.err
}

func askServed(ctx context.Context, client rest.Interface) (out []string, err error) {
	text, err := client.Get().AbsPath("/apis").SetHeader("Accept", "application/json").Do(ctx).Raw()
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list := metav1.APIGroupList{}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	for _, group := range list.Groups {
		for _, version := range group.Versions {
			out = append(out, version.GroupVersion)
		}
	}
	return out, nil
}
