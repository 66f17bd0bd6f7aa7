package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packageName is the name of the package in Debian, and of its files there.
const packageName = "busybox-static"

// fromDebian adds the busyboxes for those architectures. Packages that were fetched before are reused.
func fromDebian(ctx context.Context, cache string, architectures []string, to map[string]busybox) error {
	if len(architectures) == 0 {
		return nil
	}
	packages, missing := cached(cache, architectures)
	if len(missing) > 0 {
		if err := fetch(ctx, cache, missing); err != nil {
			return err
		}
		if packages, missing = cached(cache, architectures); len(missing) > 0 {
			return fmt.Errorf("apt-get has left no package for %s", strings.Join(missing, ", "))
		}
	}
	for arch, path := range packages {
		b, err := unpack(ctx, path)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		to[arch] = b
	}
	return nil
}

// cached returns the packages in the cache, by architecture, and the architectures without one.
func cached(cache string, architectures []string) (packages map[string]string, missing []string) {
	packages = map[string]string{}
	for _, arch := range architectures {
		found, _ := filepath.Glob(filepath.Join(cache, packageName+"_*_"+arch+".deb")) // fails only for a bad pattern
		if len(found) == 0 {
			missing = append(missing, arch)
			continue
		}
		packages[arch] = found[len(found)-1]
	}
	return packages, missing
}

// fetch downloads the packages with apt-get, which checks their signatures by the machine's keys. It uses the machine's sources of
// packages, and a state of its own, so that it needs no root and does not change the machine.
func fetch(ctx context.Context, cache string, architectures []string) error {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("it comes from Debian's archive, and there is no apt-get here")
	}
	state, err := newAptState(architectures)
	if err != nil {
		return err
	}
	defer os.RemoveAll(state.dir)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	if _, err := output(state.command(ctx, "update")); err != nil {
		return err
	}
	download := state.command(ctx, "download")
	for _, arch := range architectures {
		download.Args = append(download.Args, packageName+":"+arch)
	}
	download.Dir = cache
	_, err = output(download)
	return err
}

// aptState is a directory for the state of apt-get.
type aptState struct{ dir string }

func newAptState(architectures []string) (aptState, error) {
	dir, err := os.MkdirTemp("", "images-apt-")
	if err != nil {
		return aptState{}, err
	}
	s := aptState{dir}
	for _, sub := range []string{"lists/partial", "archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return s, err
		}
	}
	if err := os.WriteFile(s.status(), nil, 0o644); err != nil {
		return s, err
	}
	return s, os.WriteFile(s.config(), []byte(s.settings(architectures)), 0o644)
}

func (s aptState) status() string { return filepath.Join(s.dir, "status") }
func (s aptState) config() string { return filepath.Join(s.dir, "apt.conf") }

// settings override the machine's, whose sources, keys and proxies they keep, and whose hooks they drop. APT::Architecture is set, because
// otherwise apt-get adds the machine's own, which Debian may not have.
func (s aptState) settings(architectures []string) string {
	settings := []string{
		"#clear APT::Update::Pre-Invoke", "#clear APT::Update::Post-Invoke", "#clear APT::Update::Post-Invoke-Success",
		"#clear APT::Architectures",
		fmt.Sprintf("Dir::State %q", s.dir),
		fmt.Sprintf("Dir::State::status %q", s.status()),
		fmt.Sprintf("Dir::Cache %q", s.dir),
		fmt.Sprintf("APT::Architecture %q", architectures[0]),
		fmt.Sprintf("APT::Architectures %q", strings.Join(architectures, ",")),
		`Acquire::Languages "none"`,
		`Acquire::Retries "3"`,
	}
	if os.Getuid() == 0 {
		// As its own user, apt-get could not write here.
		settings = append(settings, `APT::Sandbox::User "root"`)
	}
	return strings.Join(settings, ";\n") + ";\n"
}

func (s aptState) command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "apt-get", append([]string{"-qq", "-c", s.config()}, args...)...)
}

// unpack reads the busybox in a package.
func unpack(ctx context.Context, path string) (busybox, error) {
	fields, err := output(exec.CommandContext(ctx, "dpkg-deb", "--show",
		"--showformat=${Version}\n${source:Package} ${source:Version}\n", path))
	if err != nil {
		return busybox{}, err
	}
	version, source, _ := strings.Cut(strings.TrimSpace(string(fields)), "\n")
	content, err := output(exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", path))
	if err != nil {
		return busybox{}, err
	}
	b := busybox{version: version, source: "the source package " + source + " of Debian, or of what is derived from it"}
	return b, b.take(tar.NewReader(bytes.NewReader(content)))
}

// take reads the program and its copyright. Debian has moved /bin to /usr/bin in the meantime.
func (b *busybox) take(r *tar.Reader) error {
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch strings.TrimPrefix(h.Name, "./") {
		case "bin/busybox", "usr/bin/busybox":
			b.binary, err = io.ReadAll(r)
		case "usr/share/doc/" + packageName + "/copyright":
			b.copyright, err = io.ReadAll(r)
		}
		if err != nil {
			return err
		}
	}
	if b.binary == nil {
		return errors.New("has no busybox in it")
	}
	return nil
}
