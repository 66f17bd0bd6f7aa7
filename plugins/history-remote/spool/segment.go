package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// suffix ends the names of segments, and damagedSuffix the names of segments that were set aside.
const (
	suffix        = ".records"
	damagedSuffix = ".damaged"
)

// segment is a file of frames that this process has locked. Names sort by age.
type segment struct {
	path string
	file *os.File
	size int64 // size of the frames that are known to be on disk
}

var errTaken = errors.New("another process has locked it")

// createSegment makes a file that survives the end of the machine.
func createSegment(directory string) (*segment, error) {
	name := fmt.Sprintf("%020d-%d%s", time.Now().UnixNano(), os.Getpid(), suffix)
	path := filepath.Join(directory, name)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	s, err := lock(path, file)
	if err != nil {
		return nil, err
	}
	if err := syncDirectory(directory); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// adoptSegment locks a file that another process has left. The error is errTaken if that process still runs.
func adoptSegment(path string) (*segment, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	return lock(path, file)
}

// lock returns the segment, or closes the file. Between the opening and the lock, another process may have adopted and
// removed the file; records that are written to it then are lost.
func lock(path string, file *os.File) (*segment, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errTaken
	}
	var opened, named os.FileInfo
	if err == nil {
		opened, err = file.Stat()
	}
	if err == nil {
		named, err = os.Stat(path)
	}
	if err == nil && !os.SameFile(opened, named) {
		err = errTaken
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &segment{path, file, opened.Size()}, nil
}

// append writes frames to disk. After an error the file has none of them, unless the error says otherwise, and the segment must not be used
// for others: after a failed fsync the content of the disk is unknown.
func (s *segment) append(frames []byte) error {
	_, err := s.file.Write(frames)
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return errors.Join(err, s.file.Truncate(s.size))
	}
	s.size += int64(len(frames))
	return nil
}

// read returns the records up to the first damage; torn is the number of bytes of a record that was written in part.
func (s *segment) read() (records []*pluginpb.Record, torn int, damage error) {
	b, err := io.ReadAll(io.NewSectionReader(s.file, 0, 1<<62))
	if err != nil {
		return nil, 0, err
	}
	for len(b) > 0 {
		r, rest, err := readFrame(b)
		if errors.Is(err, errTorn) {
			return records, len(b), nil
		}
		if err != nil {
			return records, 0, err
		}
		records, b = append(records, r), rest
	}
	return records, 0, nil
}

// remove deletes the file and its lock.
func (s *segment) remove() {
	_ = os.Remove(s.path)
	_ = s.file.Close()
}

// setAside renames the file, and returns its new path.
func (s *segment) setAside() (string, error) {
	path := s.path + damagedSuffix
	err := os.Rename(s.path, path)
	_ = s.file.Close()
	return path, err
}

func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
