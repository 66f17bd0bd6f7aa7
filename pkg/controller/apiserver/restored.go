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

// ErrRestored reports that the storage of the API server was restored from a backup and has lost data. Watches resume at a
// version that is still in the future and show no change until then, and the known objects come from a lost past. So a
// controller exits, and the next one starts anew.
var ErrRestored = errors.New("the API server's storage was restored from a backup")

// versionsEvery is the interval of checks of the storage's version.
const versionsEvery = 15 * time.Second

// versions tracks the version of the storage, which only grows unless a backup is restored.
type versions struct {
	mu       sync.Mutex
	latest   string    // empty if no version was ever seen
	looked   time.Time // when the storage was last asked for it
	restored error     // an ErrRestored; nil if no decrease was ever seen
	told     chan struct{}
}

func newVersions() *versions { return &versions{told: make(chan struct{})} }

// note records two versions, the second of which the storage had at the same time as the first or later. The first is empty if
// nothing earlier is known. Versions that are not comparable are ignored.
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

// isLater is false if the versions are not comparable.
func isLater(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order > 0
}

// known returns the latest known version of the storage; empty if there is none.
func (v *versions) known() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.latest
}

// due reports whether it is time to ask, and records that it was done.
func (v *versions) due(now time.Time, every time.Duration) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if now.Sub(v.looked) < every {
		return false
	}
	v.looked = now
	return true
}

// lookSoon makes the next check ask the storage.
func (v *versions) lookSoon() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.looked = time.Time{}
}

// Restored is closed once a backup was restored; WhyRestored then returns an ErrRestored.
func (s *Server) Restored() <-chan struct{} { return s.versions.told }

// WhyRestored returns an error with the versions that decreased; nil if none did.
func (s *Server) WhyRestored() error {
	s.versions.mu.Lock()
	defer s.versions.mu.Unlock()
	return s.versions.restored
}

// NoteVersions records two versions of an object, in the order in which a watch or reads of the storage have shown them; the
// first is empty for a new object. The storage has reached each of them. So a restore is detected even if its backup is from
// after the last check.
func (s *Server) NoteVersions(before, after string) { s.versions.note(before, after) }

// CheckStorage asks at once whether a backup was restored, and returns an ErrRestored if so.
func (s *Server) CheckStorage(ctx context.Context) error {
	s.versions.lookSoon()
	s.lookAtVersions(ctx)
	return s.WhyRestored()
}

// lookAtVersions checks whether the version of the storage has decreased. If the request is forbidden or fails, nothing is
// known.
func (s *Server) lookAtVersions(ctx context.Context) {
	if !s.versions.due(s.clock(), min(versionsEvery, 3*s.options.Every)) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	before := s.versions.known() // without later versions from a watch
	if now, err := s.clients.storageVersion(ctx); err == nil && now != "" {
		s.versions.note(before, now)
	}
}

// storageVersion reads the version of the storage from a list of Frameworks, limited to the minimum.
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
