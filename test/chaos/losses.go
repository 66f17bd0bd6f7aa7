package main

import (
	"context"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// losses knows when the last controller ended that may have lost records that nothing waits for.
type losses struct {
	frameworks dynamic.ResourceInterface

	mu      sync.Mutex
	ends    int
	at      time.Time
	version uint64
}

// note marks the end of a controller with a version that the cluster has afterwards.
func (l *losses) note(ctx context.Context) {
	l.mu.Lock()
	l.ends++
	l.at = time.Now()
	end := l.ends
	l.mu.Unlock()
	go insist(ctx, func() error {
		list, err := l.frameworks.List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if end == l.ends {
			l.version, err = strconv.ParseUint(list.GetResourceVersion(), 10, 64)
		}
		return err
	})
}

// last returns a version after the end of the last controller; 0 if none has ended.
func (l *losses) last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// since reports whether a controller has ended after a time.
func (l *losses) since(t time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at.After(t)
}
