package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// removal is the folder of a cluster. Through it, make cluster-down lets the controllers of make run end by themselves before the removal
// of their cluster would kill them.
type removal string

// patience is how long to wait for controllers. A controller that was asked to end is killed before that.
const patience = 15 * time.Second

func (r removal) request() string { return filepath.Join(string(r), "removal") }
func (r removal) lock() string    { return filepath.Join(string(r), "running") }

// requested reports whether the cluster is being removed, or is gone.
func (r removal) requested() bool {
	if _, err := os.Stat(r.request()); err == nil {
		return true
	}
	_, err := os.Stat(string(r))
	return errors.Is(err, fs.ErrNotExist)
}

// attend holds the cluster up until release is called. The context ends when the removal is requested.
func (r removal) attend(ctx context.Context) (_ context.Context, release func(), err error) {
	held, err := flock(r.lock(), syscall.LOCK_SH)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		for ctx.Err() == nil && !r.requested() {
			pause(ctx)
		}
	}()
	return ctx, func() { cancel(); held.Close() }, nil
}

// prepare requests the removal, and waits until no controller holds it up, or ctx ends.
func (r removal) prepare(ctx context.Context) error {
	if err := os.WriteFile(r.request(), nil, 0o644); err != nil {
		return err
	}
	for {
		held, err := flock(r.lock(), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return held.Close()
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the controller does not end: %w", ctx.Err())
		}
		pause(ctx)
	}
}

// pause lasts 100 ms, or until ctx ends.
func pause(ctx context.Context) {
	select {
	case <-time.After(100 * time.Millisecond):
	case <-ctx.Done():
	}
}

func flock(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
