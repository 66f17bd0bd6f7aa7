package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// oldestSupported is the oldest minor version of Kubernetes 1 that the controller supports; the newest one is the minor version of Newest.
const oldestSupported = 33

// found is a program that was installed on this machine before.
type found struct {
	path    string
	where   string // KUBEBUILDER_ASSETS or PATH
	version version
}

func (f found) String() string { return fmt.Sprintf("%s from %s (%s)", f.version, f.where, f.path) }

// take copies programs that are installed here: the originals may change their version. It returns the others.
func (p provider) take(ctx context.Context, tools []tool) (left []tool) {
	for _, t := range tools {
		if !p.takeOne(ctx, t) {
			left = append(left, t)
		}
	}
	return left
}

func (p provider) takeOne(ctx context.Context, t tool) bool {
	for _, f := range candidates(ctx, p.root, t) {
		if why := t.refuses(p.root, f.version); why != "" {
			fmt.Fprintf(p.log, "not taking %s %s: %s\n", t.program(), f, why)
			continue
		}
		if err := p.copyOf(ctx, t, f); err != nil {
			fmt.Fprintf(p.log, "not taking %s %s: %v\n", t.program(), f, err)
			continue
		}
		fmt.Fprintf(p.log, "taking %s %s\n", t.program(), f)
		return true
	}
	return false
}

// program is the usual name of a tool's program; empty for a tool that is only built.
func (t tool) program() string {
	switch t.source {
	case "k8s.io/kubernetes":
		return filepath.Base(t.pkg)
	case "go.etcd.io/etcd/server/v3", "sigs.k8s.io/kwok":
		return t.name
	}
	return ""
}

// refuses returns why a version is not the right one, and nothing if it is. The programs of a control plane go together if
// they are of one minor version; etcd may be as old as Kubernetes puts up with.
func (t tool) refuses(root checkout, v version) string {
	if v.odd != "" {
		return "it is no release"
	}
	want := version{major: 1, minor: t.release.minor()}
	if t.pinned(root) {
		text, err := t.version(root)
		if err != nil {
			return err.Error()
		}
		want = parseVersion(text)
	}
	if t.name == "etcd" && v.major == want.major && !v.before(oldestEtcd) {
		return ""
	}
	if !v.sameMinor(want) {
		return fmt.Sprintf("it takes %d.%d, as the others are", want.major, want.minor)
	}
	return ""
}

// oldestEtcd is the oldest version that today's API servers support, because they report the progress of watches with it.
var oldestEtcd = version{major: 3, minor: 5, patch: 13}

// candidates are the installed programs with a tool's name, apart from bin/tools.
func candidates(ctx context.Context, root checkout, t tool) (all []found) {
	name := t.program()
	if name == "" {
		return nil
	}
	if dir := os.Getenv("KUBEBUILDER_ASSETS"); dir != "" {
		all = append(all, found{path: filepath.Join(dir, name), where: "KUBEBUILDER_ASSETS"})
	}
	if path, err := exec.LookPath(name); err == nil && filepath.Dir(path) != root.tools() {
		all = append(all, found{path: path, where: "PATH"})
	}
	known := all[:0]
	for _, f := range all {
		var err error
		if f.version, err = versionOf(ctx, name, f.path); err == nil {
			known = append(known, f)
		}
	}
	return known
}

// copyOf copies a program, and asks the copy for its version: a found program may be a script that works only in its own folder.
func (p provider) copyOf(ctx context.Context, t tool, f found) error {
	from, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(p.root.tool("."+t.name+".new"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	defer os.Remove(to.Name())
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close()); err != nil {
		return err
	}
	if got, err := versionOf(ctx, t.program(), to.Name()); err != nil || got != f.version {
		return errors.New("it does not work elsewhere")
	}
	return t.put(p.root, to.Name())
}

// version is the version of a program. odd is the text after the three numbers, as in 1.37.0-rc.1.
type version struct {
	major, minor, patch int
	odd                 string
}

func (v version) String() string { return fmt.Sprintf("v%d.%d.%d%s", v.major, v.minor, v.patch, v.odd) }

func (v version) before(o version) bool {
	return cmp.Or(cmp.Compare(v.major, o.major), cmp.Compare(v.minor, o.minor), cmp.Compare(v.patch, o.patch)) < 0
}

func (v version) sameMinor(o version) bool { return v.major == o.major && v.minor == o.minor }

var versionText = regexp.MustCompile(`\bv?(\d+)\.(\d+)\.(\d+)([-+][0-9A-Za-z.+-]*)?`)

// parseVersion returns the first version in a text, or the zero version.
func parseVersion(text string) version {
	match := versionText.FindStringSubmatch(text)
	if match == nil {
		return version{}
	}
	number := func(text string) int {
		n, _ := strconv.Atoi(text)
		return n
	}
	return version{number(match[1]), number(match[2]), number(match[3]), match[4]}
}

// versionOf asks a program, with a short timeout: the program may be anything.
func versionOf(ctx context.Context, name, path string) (version, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	args := []string{"--version"}
	if name == "kubectl" {
		args = []string{"version", "--client"}
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	output, err := cmd.Output()
	if err != nil {
		return version{}, err
	}
	v := parseVersion(string(output))
	if v == (version{}) {
		return v, fmt.Errorf("%s tells no version: %s", path, strings.TrimSpace(string(output)))
	}
	return v, nil
}

// minor is the minor version of a release that names it, such as 35 for 1.35.
func (r Release) minor() int {
	_, text, _ := strings.Cut(string(r), ".")
	n, _ := strconv.Atoi(text)
	return n
}

// Quickest returns the release whose cluster starts with the least wait: the newest one, unless its programs are missing and all programs
// of another supported release are installed.
func Quickest(ctx context.Context) (Release, error) {
	root, err := findCheckout()
	if err != nil {
		return Newest, err
	}
	kubernetes := toolset(Newest)[:4]
	if missing, err := missingOf(root, kubernetes); err != nil || len(missing) == 0 {
		return Newest, err
	}
	newest, err := kubernetes[0].version(root)
	if err != nil {
		return Newest, err
	}
	for minor := parseVersion(newest).minor; minor >= oldestSupported; minor-- {
		if allAtHand(ctx, root, kubernetes, minor) {
			if minor == parseVersion(newest).minor {
				return Newest, nil
			}
			return Release(fmt.Sprintf("1.%d", minor)), nil
		}
	}
	return Newest, nil
}

func allAtHand(ctx context.Context, root checkout, tools []tool, minor int) bool {
	for _, t := range tools {
		has := false
		for _, f := range candidates(ctx, root, t) {
			has = has || f.version.major == 1 && f.version.minor == minor && f.version.odd == ""
		}
		if !has {
			return false
		}
	}
	return true
}
