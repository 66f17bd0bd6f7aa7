package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A controller learns that its cluster will be removed, and the cluster stays until the controller has ended.
func TestRemovalWaitsForTheController(t *testing.T) {
	r := removal(t.TempDir())
	attended, release, err := r.attend(t.Context())
	require.NoError(t, err)
	if r.requested() {
		t.Error("the removal was requested before anybody has")
	}
	prepared := make(chan error, 1)
	go func() { prepared <- r.prepare(t.Context()) }()
	select {
	case <-attended.Done():
	case <-time.After(time.Minute):
		t.Fatal("the controller is not told")
	}
	select {
	case err := <-prepared:
		t.Errorf("the removal has not waited: %v", err)
	default:
	}
	release()
	if err := <-prepared; err != nil || !r.requested() {
		t.Errorf("the removal: %v", err)
	}
}

// A controller that does not end holds the removal up for a while only.
func TestRemovalGivesUp(t *testing.T) {
	r := removal(t.TempDir())
	_, release, err := r.attend(t.Context())
	require.NoError(t, err)
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.prepare(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A cluster whose folder is gone was removed, by whomever.
func TestRemovalOfWhatIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cluster")
	require.NoError(t, os.Mkdir(dir, 0o755))
	attended, release, err := removal(dir).attend(t.Context())
	require.NoError(t, err)
	defer release()
	require.NoError(t, os.RemoveAll(dir))
	select {
	case <-attended.Done():
	case <-time.After(time.Minute):
		t.Error("the controller is not told")
	}
}
