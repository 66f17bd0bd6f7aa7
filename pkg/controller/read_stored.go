package controller

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// readStored reads the stored Framework. Done has to be called when what is wanted of the text is taken, and may be called
// again; it is not nil without an error.
func (rd *reader) readStored(ctx context.Context, r *record) (text []byte, done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout) // also of the wait for its turn
	defer cancel()
	answer, err := getStored(rd.clients, r.key).Stream(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Close()
	return rd.largeReading.read(ctx, answer)
}

func getStored(c *Clients, key cache.ObjectName) *rest.Request {
	return c.frameworks.Get().Namespace(key.Namespace).Resource(v1.FrameworkPlural).Name(key.Name)
}

// read reads to the end. The API server is told to wait with the rest of what is large until it is its turn.
func (l largeReading) read(ctx context.Context, from io.Reader) (text []byte, done func(), err error) {
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
