package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// ErrFull means that records do not fit.
var ErrFull = errors.New("the spool is full")

// Spool is a queue of records in a directory. All methods may be called at the same time.
type Spool struct {
	directory          string
	limit, segmentSize int64
	log                hclog.Logger
	grown              chan struct{}

	mu     sync.Mutex
	active *segment   // is written to; may be nil
	sealed []*segment // no longer written to, oldest first
}

// Open opens or creates a spool that holds at most limit bytes, with the records that earlier processes have left there.
func Open(directory string, limit int64, log hclog.Logger) (*Spool, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, err
	}
	probe, err := createSegment(directory)
	if err != nil {
		return nil, err
	}
	probe.remove()
	s := &Spool{directory: directory, limit: limit, segmentSize: max(limit/16, 64<<10), log: log, grown: make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adoptLocked()
	return s, nil
}

// Append adds records, all or none. They are on disk afterwards. The error is ErrFull if they do not fit.
func (s *Spool) Append(records []*pluginpb.Record) (err error) {
	var frames []byte
	for _, r := range records {
		if frames, err = appendFrame(frames, r); err != nil {
			return fmt.Errorf("spooling the record %.100q: %w", r.GetKey(), err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.usedLocked()+int64(len(frames)) > s.limit {
		return ErrFull
	}
	if s.active == nil {
		if s.active, err = createSegment(s.directory); err != nil {
			return fmt.Errorf("spooling: %w", err)
		}
	}
	err = s.active.append(frames)
	if err != nil || s.active.size >= s.segmentSize {
		s.sealLocked()
	}
	if err != nil {
		return fmt.Errorf("spooling: %w", err)
	}
	select {
	case s.grown <- struct{}{}:
	default:
	}
	return nil
}

// Grown receives a value after an Append.
func (s *Spool) Grown() <-chan struct{} { return s.grown }

// Empty reports whether no record is left that this process has added or taken over.
func (s *Spool) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active == nil && len(s.sealed) == 0
}

// Batch is the content of the oldest file.
type Batch struct {
	Records []*pluginpb.Record

	spool   *Spool
	segment *segment
	damage  error
}

// Oldest returns the oldest records, or nil. They stay in the spool until the batch is done; until then, each call returns them again.
func (s *Spool) Oldest() *Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adoptLocked()
	if len(s.sealed) == 0 {
		s.sealLocked()
	}
	if len(s.sealed) == 0 {
		return nil
	}
	oldest := s.sealed[0]
	records, torn, damage := oldest.read()
	if torn > 0 {
		s.log.Info("cut a record that was never acknowledged", "file", oldest.path, "bytes", torn)
	}
	return &Batch{records, s, oldest, damage}
}

// Done removes the records from the spool.
func (b *Batch) Done() {
	s := b.spool
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed = slices.DeleteFunc(s.sealed, func(other *segment) bool { return other == b.segment })
	if b.damage == nil {
		b.segment.remove()
		return
	}
	path, err := b.segment.setAside()
	s.log.Error("a file of the spool is damaged, and the records behind the damage are lost", "kept_as", path, "damage", b.damage, "error", err)
}

// Close leaves the records to other processes.
func (s *Spool) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealLocked()
	for _, segment := range s.sealed {
		_ = segment.file.Close()
	}
	s.sealed = nil
}

func (s *Spool) sealLocked() {
	if s.active != nil {
		s.sealed, s.active = append(s.sealed, s.active), nil
	}
}

// adoptLocked takes over the files of processes that have ended.
func (s *Spool) adoptLocked() {
	for _, path := range s.pathsLocked() {
		if s.isMineLocked(path) {
			continue
		}
		segment, err := adoptSegment(path)
		if err == nil {
			s.sealed = append(s.sealed, segment)
		} else if !errors.Is(err, errTaken) && !errors.Is(err, os.ErrNotExist) {
			s.log.Error("a file of the spool cannot be opened", "file", path, "error", err)
		}
	}
	slices.SortFunc(s.sealed, func(a, b *segment) int { return strings.Compare(a.path, b.path) })
}

func (s *Spool) isMineLocked(path string) bool {
	return s.active != nil && s.active.path == path ||
		slices.ContainsFunc(s.sealed, func(mine *segment) bool { return mine.path == path })
}

// pathsLocked are the segments in the directory, of any process.
func (s *Spool) pathsLocked() []string {
	entries, err := os.ReadDir(s.directory)
	if err != nil {
		return nil
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(s.directory, e.Name()))
		}
	}
	return paths
}

// usedLocked is the size of all segments in the directory.
func (s *Spool) usedLocked() (bytes int64) {
	for _, path := range s.pathsLocked() {
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
