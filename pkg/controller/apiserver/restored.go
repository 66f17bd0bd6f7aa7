package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// ErrRestored is that the storage of the API server holds less than it did: somebody has restored a backup. Watches go on from a
// version that is yet to come and show no change until then, and what is known of objects is of a time that never was. So a
// controller ends, and the next one begins anew.
var ErrRestored = errors.New("the API server's storage was restored from a backup")

// versionsEvery is how often the version of the storage is looked at.
const versionsEvery = 15 * time.Second

// versions is what is known of the version of the storage. It only grows, unless a backup is restored.
type versions struct {
	mu       sync.Mutex
	latest   string    // empty if none was ever seen
	looked   time.Time // when the storage was last asked for it
	restored error     // an ErrRestored; nil if no version was ever seen to go back
	told     chan struct{}
}

func newVersions() *versions { return &versions{told: make(chan struct{})} }

// note enters two versions of which the storage had the second no sooner than the first. The first is empty if nothing is known of
// the time before. Versions that cannot be compared say nothing.
func (v *versions) note(before, after string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if isLater(before, after) && v.restored == nil {
		v.restored = fmt.Errorf("%w: its resource version went back from %s to %s", ErrRestored, before, after)
		close(v.told)
	}
	if v.latest == "" || isLater(after, v.latest) {
		v.latest = after
	}
}

// isLater is false if the versions cannot be compared.
func isLater(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order > 0
}

// known is the latest version that the storage is known to have had; empty if there is none.
func (v *versions) known() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.latest
}

// due reports whether it is time to ask, and notes that it is done.
func (v *versions) due(now time.Time, every time.Duration) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if now.Sub(v.looked) < every {
		return false
	}
	v.looked = now
	return true
}

// lookSoon has the storage asked at the next look.
func (v *versions) lookSoon() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.looked = time.Time{}
}

// Restored is closed once a backup was restored; why is an ErrRestored then.
func (s *Server) Restored() <-chan struct{} { return s.versions.told }

// WhyRestored says which versions have gone back; nil if none have.
func (s *Server) WhyRestored() error {
	s.versions.mu.Lock()
	defer s.versions.mu.Unlock()
	return s.versions.restored
}

// NoteVersions is told of two versions of an object, in the order in which a watch or reads of the storage have shown them; the first
// is empty for an object that was not shown before. The storage has come to each of them. So a restore is seen also if its backup is
// of a time since the storage was last asked.
func (s *Server) NoteVersions(before, after string) { s.versions.note(before, after) }

// CheckStorage asks at once whether a backup was restored, and returns an ErrRestored if one was.
func (s *Server) CheckStorage(ctx context.Context) error {
	s.versions.lookSoon()
	s.lookAtVersions(ctx)
	return s.WhyRestored()
}

// lookAtVersions finds out whether the version of the storage has gone back. Where that is forbidden, or fails, nothing is known.
func (s *Server) lookAtVersions(ctx context.Context) {
	if !s.versions.due(s.clock(), min(versionsEvery, 3*s.options.Every)) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	before := s.versions.known() // and not what a watch shows until the answer is here
	if now, err := s.clients.storageVersion(ctx); err == nil && now != "" {
		s.versions.note(before, now)
	}
}

// storageVersion asks for the version of the storage, which the list of Frameworks has, however few are wanted of it.
func (c *Clients) storageVersion(ctx context.Context) (string, error) {
	body, err := Send(ctx, c.looks.Get().Resource(v1.FrameworkPlural).Param("limit", "1").
		SetHeader("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1").MaxRetries(0))
	if err != nil {
		return "", err
	}
	var list struct{ Metadata metav1.ListMeta }
	if err := json.Unmarshal(body, &list); err != nil {
		return "", fmt.Errorf("reading the version of the storage: %w", err)
	}
	return list.Metadata.ResourceVersion, nil
}
