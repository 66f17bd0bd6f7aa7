package flowcontrol

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

const (
	// largeObject is how many bytes an object has from which on it is large: a read takes several times that until what is
	// wanted of it is taken.
	largeObject = 128 << 10
	// maxLargeReads is how many large objects are read at the same time. Many may come at once, as at the start.
	maxLargeReads = 4
)

// LargeReads are the slots for reads of large objects.
type LargeReads chan struct{}

// NewLargeReads returns as many free slots as there are.
func NewLargeReads() LargeReads { return make(LargeReads, maxLargeReads) }

// Read reads to the end. The sender is told to wait with the rest of what is large until there is a slot. Done gives the slot
// back, and has to be called when what is wanted of the text is taken; it may be called again, and is not nil without an
// error. The error is that of ctx, if that ends before there is a slot, or what from returns.
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
