package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const (
	// silentFor is how long the API server may not answer before the controller counts as not ready. A restarted API server is
	// usually back earlier.
	silentFor = 15 * time.Second
	// answerWithin limits one check.
	answerWithin = 5 * time.Second
	// lookAgain is the interval of checks while there is a problem.
	lookAgain = time.Second
)

// served is the part of the controller's needs that the API server serves.
type served int

const (
	unknown served = iota
	nothingServed
	frameworksServed // without their status subresource
	statusServed
)

// contact is the knowledge about the API server. The zero value means that no problem is known.
type contact struct {
	mu       sync.Mutex
	looked   time.Time // when it was last asked
	answered time.Time // when it was last asked, and answered
	silent   time.Time // when it was last asked, and did not answer
	failure  error     // why it did not answer the last time; nil if it did
	serves   served
	lost     time.Time // when a status write last found no subresource
}

// note records the result of a check. One that was sent before a write found no subresource does not override that.
func (k *contact) note(asked time.Time, s served, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.looked, k.failure = asked, err
	if err != nil {
		k.silent = asked
		return
	}
	k.answered = asked
	if s != unknown && !asked.Before(k.lost) {
		k.serves = s
	}
}

// lose records that a status write found no subresource.
func (k *contact) lose(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.serves, k.lost = frameworksServed, now
}

// find records that a status write has found the subresource. Where discovery is forbidden, this is the only way to know.
func (k *contact) find(began time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !began.Before(k.lost) {
		k.serves = statusServed
	}
}

// due reports whether it is time for a check; the interval is shorter while there is a problem.
func (k *contact) due(now time.Time, every time.Duration) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failure != nil || k.serves != statusServed {
		every = min(every, lookAgain)
	}
	return now.Sub(k.looked) >= every
}

// missing returns an error if a needed resource is not served; nil if it is, or if that is not known.
func (k *contact) missing(needed served) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.serves == unknown || k.serves >= needed:
		return nil
	case needed == frameworksServed:
		return errors.New("the API server does not serve Frameworks: somebody has deleted the CRD; " +
			"restart the controller to reinstall it")
	case k.serves == nothingServed:
		return errors.New("there is no CRD")
	}
	return errors.New("frameworks have no status subresource: another controller has replaced the CRD; " +
		"it is being installed again")
}

// silence returns an error if the API server has not answered for too long; nil if it has.
func (k *contact) silence(now time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if age := now.Sub(k.answered); k.failure != nil && age > silentFor {
		return fmt.Errorf("no answer for %s: %w", age.Round(time.Second), k.failure)
	}
	return nil
}

// steadySince reports whether the API server was asked after t, and has answered each time.
func (k *contact) steadySince(t time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.answered.After(t) && !k.silent.After(t)
}

// serves asks what is served, on a connection that is not delayed by writes. It is not the connection of a watch either: those
// detect failures themselves (watchConnection).
func (c *Clients) serves(ctx context.Context) (served, error) {
	body, err := Send(ctx, c.looks.Get().AbsPath("/apis", v1.SchemeGroupVersion.String()).
		SetHeader("Accept", runtime.ContentTypeJSON).MaxRetries(0))
	switch {
	case apierrors.IsNotFound(err):
		return nothingServed, nil
	case apierrors.IsForbidden(err):
		return unknown, nil // it is an answer, though not to the question
	case err != nil:
		return unknown, err
	}
	return servedBy(body)
}

func servedBy(body []byte) (served, error) {
	var list metav1.APIResourceList
	if err := json.Unmarshal(body, &list); err != nil {
		return unknown, fmt.Errorf("reading what the API server serves: %w", err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == name })
	}
	switch {
	case !has(v1.FrameworkPlural):
		return nothingServed, nil
	case !has(v1.FrameworkPlural + "/status"):
		return frameworksServed, nil
	}
	return statusServed, nil
}
