package flowcontrol

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// Only a few large objects are read at a time, and small ones do not wait for them.
func TestLargeReads(t *testing.T) {
	t.Parallel()
	l := NewLargeReads()
	large := bytes.Repeat([]byte("x"), largeObject+1)
	var ends []func()
	for range maxLargeReads {
		text, done, err := l.Read(t.Context(), bytes.NewReader(large))
		if err != nil || !bytes.Equal(text, large) {
			t.Fatalf("%d bytes, %v", len(text), err)
		}
		ends = append(ends, done)
	}
	if text, _, err := l.Read(t.Context(), bytes.NewReader(large[:largeObject-1])); err != nil || len(text) != largeObject-1 {
		t.Errorf("%d bytes of a small one, %v", len(text), err)
	}
	rest := &countingReader{Reader: bytes.NewReader(bytes.Repeat(large, 3))}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, _, err := l.Read(ctx, rest)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || rest.read > largeObject {
		t.Errorf("one too many read %d bytes, %v", rest.read, err)
	}
	ends[0]()
	broken := errors.New("broken")
	if _, _, err := l.Read(t.Context(), io.MultiReader(bytes.NewReader(large), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a connection that breaks: %v", err)
	}
	if _, done, err := l.Read(t.Context(), bytes.NewReader(large)); err != nil {
		t.Errorf("the slot is not given back: %v", err)
	} else {
		done()
	}
}

// countingReader counts the bytes read from it.
type countingReader struct {
	io.Reader
	read int
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read += n
	return n, err
}
