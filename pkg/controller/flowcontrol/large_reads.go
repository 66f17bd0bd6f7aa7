package flowcontrol

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

const (
	// largeObject is the size, in bytes, from which an object is large: while it is being read and decoded, it takes several
	// times that.
	largeObject = 128 << 10
	// maxLargeReads limits the large objects that are read at the same time. Many may come at once, as at the start.
	maxLargeReads = 4
)

// LargeReads are the slots for reads of large objects.
type LargeReads chan struct{}

// NewLargeReads returns the slots, all of them free.
func NewLargeReads() LargeReads { return make(LargeReads, maxLargeReads) }

// Read reads to the end. The sender of a large object has to wait with the rest until there is a slot. The caller must call
// done when it no longer needs the text, to free the slot, and may call it again; done is not nil unless there is an error.
// The error comes from ctx, if it ends before there is a slot, or from the reader.
func (l LargeReads) Read(ctx context.Context, from io.Reader) (text []byte, done func(), err error) {
	var all bytes.Buffer
	if _, err := io.CopyN(&all, from, largeObject); err != nil {
		if errors.Is(err, io.EOF) {
			return all.Bytes(), func() {}, nil
		}
		return nil, nil, err
	}
	select {
	case l <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	done = sync.OnceFunc(func() { <-l })
	if _, err := all.ReadFrom(from); err != nil {
		done()
		return nil, nil, err
	}
	return all.Bytes(), done, nil
}
