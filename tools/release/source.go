package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// source is the commit to release.
type source struct {
	root   string
	commit string    // full hash
	time   time.Time // time of every written file
	notes  string    // section of CHANGELOG.md for the version
}

// noCommit is the commit of a working tree that may have changes.
const noCommit = "0000000000000000000000000000000000000000"

// readSource refuses a version that CHANGELOG.md lacks, and sources with uncommitted changes.
func readSource(ctx context.Context, root string, v semver) (source, error) {
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return source{}, err
	}
	notes, err := section(string(changelog), v)
	if err != nil {
		return source{}, err
	}
	if err := requireClean(ctx, root); err != nil {
		return source{}, err
	}
	line, err := git(ctx, root, "log", "-1", "--format=%H %ct")
	if err != nil {
		return source{}, err
	}
	commit, seconds, _ := strings.Cut(line, " ")
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds = epoch
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return source{}, fmt.Errorf("SOURCE_DATE_EPOCH: %q is no number of seconds since 1970", seconds)
	}
	return source{root: root, commit: commit, time: time.Unix(at, 0).UTC(), notes: notes}, nil
}

func requireClean(ctx context.Context, root string) error {
	changed, err := git(ctx, root, "status", "--porcelain", "--untracked-files=all")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("the working tree has changes, and a release is made of a commit: commit or remove them\n%s", changed)
	}
	return nil
}

// requireOwnTag refuses a version whose tag is on another commit: a release does not change.
func requireOwnTag(ctx context.Context, root string, v semver) error {
	tagged, err := git(ctx, root, "for-each-ref", "--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)", "refs/tags/"+v.String())
	if err != nil || tagged == "" {
		return err
	}
	head, err := git(ctx, root, "rev-parse", "HEAD")
	if err == nil && head != tagged {
		err = fmt.Errorf("the tag %s is on commit %s, and this is %s: check the tag out, or choose another version", v, tagged, head)
	}
	return err
}

func git(ctx context.Context, root string, args ...string) (string, error) {
	out, err := output(exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...))
	return strings.TrimRight(string(out), "\n"), err
}

// output runs a command, and returns its output.
func output(cmd *exec.Cmd) ([]byte, error) {
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, complaints.String())
	}
	return out, nil
}
