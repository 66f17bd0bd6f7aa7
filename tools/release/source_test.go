package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A release is built from a commit: an uncommitted change is refused, and named.
func TestSource(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	root := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-11-29T12:00:00Z", "GIT_AUTHOR_DATE=2026-11-29T12:00:00Z")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	run("init", "--quiet")
	write(t, filepath.Join(root, "CHANGELOG.md"), someChangelog)
	run("add", "-A")
	run("commit", "--quiet", "-m", "all")

	s, err := readSource(context.Background(), root, "v1.0.0")
	require.NoError(t, err)
	require.Len(t, s.commit, 40)
	require.Equal(t, time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), s.time)
	require.Equal(t, "First.", s.notes)

	_, err = readSource(context.Background(), root, "v3.0.0")
	require.ErrorContains(t, err, "CHANGELOG.md has no section of v3.0.0")

	require.NoError(t, requireOwnTag(t.Context(), root, "v1.0.0"), "no tag")
	run("tag", "-a", "-m", "first", "v1.0.0")
	require.NoError(t, requireOwnTag(t.Context(), root, "v1.0.0"), "the tag is on this commit")
	run("commit", "--quiet", "--allow-empty", "-m", "later")
	err = requireOwnTag(t.Context(), root, "v1.0.0")
	require.ErrorContains(t, err, "the tag v1.0.0 is on commit "+s.commit+", and this is ")

	write(t, filepath.Join(root, "main.go"), "package main")
	_, err = readSource(context.Background(), root, "v1.0.0")
	require.ErrorContains(t, err, "the working tree has changes, and a release is made of a commit: commit or remove them\n?? main.go")
	require.NoError(t, os.Remove(filepath.Join(root, "main.go")))

	t.Setenv("SOURCE_DATE_EPOCH", "1000")
	s, err = readSource(context.Background(), root, "v1.0.0")
	require.NoError(t, err)
	require.Equal(t, time.Unix(1000, 0).UTC(), s.time)
	t.Setenv("SOURCE_DATE_EPOCH", "today")
	_, err = readSource(context.Background(), root, "v1.0.0")
	require.ErrorContains(t, err, "SOURCE_DATE_EPOCH")
}
