package store

import (
	"cmp"
	"context"
	"sync"
)

// Watched selects Frameworks. Empty fields select all.
type Watched struct{ Namespace, Name, UID string }

func (w Watched) matches(stored Watched) bool {
	return cmp.Or(w.Namespace, stored.Namespace) == stored.Namespace && cmp.Or(w.Name, stored.Name) == stored.Name &&
		cmp.Or(w.UID, stored.UID) == stored.UID
}

// watchers are who waits for rows. The zero value has none.
type watchers struct {
	mutex sync.Mutex
	all   map[chan struct{}]Watched
}

// Watch returns a channel that has a value after rows of watched Frameworks were stored, by this process or by another one with the same
// database. A notice of another process may get lost. Rows that are stored before the value is taken add none. The caller has to call stop.
func (s *Store) Watch(of Watched) (changed <-chan struct{}, stop func()) {
	w, c := &s.watchers, make(chan struct{}, 1)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.all == nil {
		w.all = map[chan struct{}]Watched{}
	}
	w.all[c] = Watched{name(of.Namespace), name(of.Name), name(of.UID)}
	return c, func() {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		delete(w.all, c)
	}
}

// rowsStored rings in this process, and in others with the same database.
func (s *Store) rowsStored(frameworks ...Watched) {
	s.watchers.stored(frameworks...)
	s.notices.add(frameworks...)
}

// EndOf returns the state of a watched Framework if it is over, and an empty one if not; without a UID, of the newest Framework of that
// name. ErrNotFound if there is none.
func (s *Store) EndOf(ctx context.Context, of Watched) (state string, err error) {
	f, _, err := s.find(ctx, of.Namespace, of.Name, of.UID)
	if err != nil || f.Completed == nil && f.State != deleted {
		return "", err
	}
	return f.State, nil
}

// Shared reports whether other processes may store rows in the database. Watch may miss some of these rows.
func (s *Store) Shared() bool { return s.dialect.lock != nil }

// storedAny rings for all who watch, because it is not known whose rows were stored.
func (w *watchers) storedAny() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for c := range w.all {
		ring(c)
	}
}

// ring never waits.
func ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// stored rings for all who watch one of the Frameworks.
func (w *watchers) stored(frameworks ...Watched) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for c, of := range w.all {
		for _, f := range frameworks {
			if of.matches(f) {
				ring(c)
				break
			}
		}
	}
}

// watched names the Frameworks of the batch.
func (b *batch) watched() (all []Watched) {
	for _, fw := range b.frameworks {
		all = append(all, Watched{fw.namespace, fw.name, fw.key.uid})
	}
	return append(all, b.absent...)
}
