package http

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page's commands with curl work as described, with exactly the permissions of the account that it creates.
func TestCurl(t *testing.T) {
	blocks := readPage(t)
	dir := newReader(t, blocks)
	token := in(blocks, "sh", withToken)
	watch := slices.Concat(token, in(blocks, "sh", watching))
	todo := slices.DeleteFunc(in(blocks, "sh", append([]string{access}, operations...)...), func(b block) bool { return b.Section == watching })
	p := shell.run(t, dir, slices.Concat(token, todo)...)
	p.next()
	var seen func(context.Context) error
	for _, b := range todo {
		if b.Section == start {
			seen = watchChanges(t, dir, watch)
		}
		p.goOn()
		p.check(b)
	}
	eventually(t, seen)
}

// The other way to the API server that the page has for curl.
func TestCurlByProxy(t *testing.T) {
	blocks := readPage(t)
	dir := newReader(t, blocks)
	todo := in(blocks, "sh", access, create, "Get", deletion)
	p := shell.run(t, dir, slices.Concat(in(blocks, "sh", withProxy), todo)...)
	p.next()
	for _, b := range todo {
		p.goOn()
		p.check(b)
	}
}

// newReader prepares what a reader of the page needs: the account, and hello.yaml in the returned folder.
func newReader(t *testing.T, blocks []block) (dir string) {
	t.Helper()
	for _, needed := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip("skipping: the page needs a program: ", err)
		}
	}
	dir = t.TempDir()
	manifest := in(blocks, "yaml", create)
	require.Len(t, manifest, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hello.yaml"), []byte(manifest[0].Text), 0o644))
	leaveNothing(t)
	makeMany(t)
	first := in(blocks, "sh", account)
	p := shell.run(t, dir, first...)
	for range first {
		p.next()
		p.goOn()
	}
	return dir
}

// check waits until a block has ended, and compares its output and its effect.
func (p *program) check(b block) {
	p.t.Helper()
	out := p.next()
	if b.shown != "" {
		require.Equal(p.t, b.shown, out, "printed by %q", b.Section)
	}
	if outcome := outcomes[b.Section]; outcome != nil {
		eventually(p.t, func(ctx context.Context) error {
			if err := outcome(ctx); err != nil {
				return fmt.Errorf("after %q: %w", b.Section, err)
			}
			return nil
		})
	}
}

// watchChanges begins the watch of the page, and returns when it has shown the existing Frameworks. Seen reports whether it has shown all
// lines of the page, among other changes.
func watchChanges(t *testing.T, dir string, blocks []block) (seen func(context.Context) error) {
	t.Helper()
	p := shell.run(t, dir, blocks...)
	p.next()
	p.goOn()
	want := strings.Split(strings.TrimSpace(blocks[len(blocks)-1].shown), "\n")
	line, err := p.out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, want[0]+"\n", line)
	lines := make(chan string)
	go func() {
		defer close(lines)
		for {
			line, err := p.out.ReadString('\n')
			if err != nil {
				return // it was killed
			}
			select {
			case lines <- strings.TrimSpace(line):
			case <-t.Context().Done():
				return
			}
		}
	}()
	want = want[1:]
	return func(ctx context.Context) error {
		for len(want) > 0 {
			select {
			case line, ok := <-lines:
				if !ok {
					return errors.New("the watch has ended")
				}
				if line == want[0] {
					want = want[1:]
				}
			case <-ctx.Done():
				return fmt.Errorf("the watch has not shown %q", want)
			}
		}
		return nil
	}
}
