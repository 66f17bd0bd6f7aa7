package cluster

import (
	"archive/tar"
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// releases has the sources of programs, and the checksums of known programs. No other program is fetched.
type releases struct {
	bases    map[string]string // URL by the name of the publisher; a publisher without a URL is not used
	pins     map[string]string // SHA-256 by path below a URL
	client   *http.Client
	patience time.Duration // maximum time without a byte
}

// publishedReleases returns the releases of all publishers, or of the mirrors that the variables of the environment name. With
// KUBERNETES_RELEASES=none, for machines without a network, nothing is fetched.
func publishedReleases(root checkout) (releases, error) {
	r := releases{bases: map[string]string{}, pins: map[string]string{}, client: &http.Client{}, patience: 20 * time.Second}
	for _, p := range publishers {
		pins, err := readPins(filepath.Join(string(root), "tools", p.name+"-releases.sha256"))
		if err != nil {
			return releases{}, err
		}
		maps.Copy(r.pins, pins)
		if base := cmp.Or(os.Getenv(p.mirror), p.base); base != "none" {
			r.bases[p.name] = strings.TrimRight(base, "/")
		}
	}
	if r.bases["kubernetes"] == "" {
		clear(r.bases)
	}
	return r, nil
}

// of is the URL below which a tool is published; empty if it is not fetched.
func (r releases) of(t tool) (base string) { return r.bases[t.publisher().name] }

// readPins reads a file as sha256sum writes it, with comments.
func readPins(file string) (map[string]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	pins := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		sum, path, ok := strings.Cut(line, "  ")
		if !ok || !checksum.MatchString(sum) {
			return nil, fmt.Errorf("%s: %q is not a SHA-256, two spaces and a path", file, line)
		}
		pins[path] = sum
	}
	return pins, lines.Err()
}

var checksum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// version returns the newest version of a minor for which all these tools have a checksum for this machine, so that all have one version.
// It returns the zero version if there is no such version.
func (r releases) version(minor version, tools []tool) (newest version) {
	for path := range r.pins {
		v := parseVersion(path)
		has := func(t tool) bool { return r.pins[t.published(v.String(), runtime.GOOS, runtime.GOARCH)] != "" }
		lacks := func(t tool) bool { return !has(t) }
		if v.odd == "" && v.sameMinor(minor) && newest.before(v) && !slices.ContainsFunc(tools, lacks) {
			newest = v
		}
	}
	return newest
}

// download is a program to be fetched.
type download struct {
	tool
	version version
	file    string // where it is until it has been looked at
}

// downloads finds what can be fetched: for each module, one version of the minor that it pins. It logs the modules without one.
func (p provider) downloads(tools []tool) (all []download, err error) {
	byModule := map[string][]tool{}
	for _, t := range tools {
		if p.published.of(t) != "" && t.published("", runtime.GOOS, runtime.GOARCH) != "" {
			byModule[t.module] = append(byModule[t.module], t)
		}
	}
	for _, module := range slices.Sorted(maps.Keys(byModule)) {
		of := byModule[module]
		pinned, err := of[0].version(p.root)
		if err != nil {
			return nil, err
		}
		v := p.published.version(parseVersion(pinned), of)
		if v == (version{}) {
			fmt.Fprintf(p.log, "not fetched: %s: no checksum is known of a version like %s\n", names(of), pinned)
			continue
		}
		for _, t := range of {
			all = append(all, download{t, v, p.root.tool("." + t.name + ".fetched")})
		}
	}
	return all, nil
}

// fetch fetches published programs, all at once, and returns the tools that are left to be built. A download that fails is logged and is no
// error: the tool can be built.
func (p provider) fetch(ctx context.Context, tools []tool) (left []tool, err error) {
	wanted, err := p.downloads(tools)
	if err != nil || len(wanted) == 0 {
		return tools, err
	}
	titles := map[string][]string{}
	for _, d := range wanted {
		base := p.published.of(d.tool)
		titles[base] = append(titles[base], fmt.Sprintf("%s %s", d.name, d.version))
	}
	for _, base := range slices.Sorted(maps.Keys(titles)) {
		fmt.Fprintf(p.log, "fetching %s from %s ...\n", strings.Join(titles[base], ", "), base)
	}
	start, failed := time.Now(), p.fetchAll(ctx, wanted)
	left, err = missingOf(p.root, tools)
	if n := len(tools) - len(left); n > 0 {
		fmt.Fprintf(p.log, "fetched %d of %d in %.0f s\n", n, len(wanted), time.Since(start).Seconds())
	}
	for _, why := range slices.Sorted(maps.Keys(failed)) {
		fmt.Fprintf(p.log, "not fetched: %s: %s\n", strings.Join(failed[why], ", "), why)
	}
	return left, err
}

// fetchAll returns the names of the tools that failed, by the reason.
func (p provider) fetchAll(ctx context.Context, wanted []download) (failed map[string][]string) {
	errs := make([]error, len(wanted))
	var all sync.WaitGroup
	for i, d := range wanted {
		all.Go(func() {
			errs[i] = p.published.get(ctx, p.published.of(d.tool), d.published(d.version.String(), runtime.GOOS, runtime.GOARCH), d.file)
			if member := d.member(d.version.String(), runtime.GOOS, runtime.GOARCH); member != "" && errs[i] == nil {
				errs[i] = unpack(d.file, member)
			}
		})
	}
	all.Wait()
	failed = map[string][]string{}
	for i, d := range wanted {
		// Not before all are complete: a file is busy while a process started by another goroutine still holds it.
		if errs[i] == nil {
			errs[i] = p.checkFetched(ctx, d)
		}
		if err := errs[i]; err != nil {
			failed[err.Error()] = append(failed[err.Error()], d.name)
		}
	}
	return failed
}

func (p provider) checkFetched(ctx context.Context, d download) error {
	defer os.Remove(d.file) // unless it has its place
	got, err := versionOf(ctx, d.program(), d.file)
	if err != nil {
		return fmt.Errorf("what was fetched does not run here: %w", err)
	}
	if got != d.version {
		return fmt.Errorf("what was fetched is %s, and not %s", got, d.version)
	}
	return d.put(p.root, d.file)
}

// unpack replaces an archive, whose checksum is right, by one program in it. After an error the file does not exist.
func unpack(file, member string) (err error) {
	defer func() {
		if err != nil {
			os.Remove(file)
			err = fmt.Errorf("unpacking %s: %w", member, err)
		}
	}()
	archive, err := os.Open(file)
	if err != nil {
		return err
	}
	defer archive.Close()
	text, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	files := tar.NewReader(text)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return errors.New("it is not in the archive")
		}
		if err != nil {
			return err
		}
		if header.Name == member && header.Typeflag == tar.TypeReg {
			break
		}
	}
	program, err := os.OpenFile(file+".unpacked", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	defer os.Remove(program.Name()) // unless it has its place
	_, err = io.Copy(program, files)
	if err := errors.Join(err, program.Close()); err != nil {
		return err
	}
	return os.Rename(program.Name(), file)
}

// get fetches one program, or an archive with it, into an executable file. After an error the file does not exist.
func (r releases) get(ctx context.Context, base, path, file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	hash := sha256.New()
	err = errors.Join(r.read(ctx, base, path, io.MultiWriter(f, hash)), f.Close())
	if got := hex.EncodeToString(hash.Sum(nil)); err == nil && got != r.pins[path] {
		err = fmt.Errorf("%s/%s has the checksum %s, and should have %s", base, path, got, r.pins[path])
	}
	if err != nil {
		os.Remove(file)
	}
	return err
}

// read reads a file, and gives up when no more data arrives.
func (r releases) read(ctx context.Context, base, path string, to io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(r.patience, func() { cancel(fmt.Errorf("%s sends nothing for %s", base, r.patience)) })
	defer silent.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/"+path, nil)
	if err != nil {
		return err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return plain(ctx, base, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", request.URL, response.Status)
	}
	_, err = io.Copy(to, heard{response.Body, func() { silent.Reset(r.patience) }})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s breaks off", request.URL)
	}
	return plain(ctx, base, err)
}

// heard calls tell after each read.
type heard struct {
	io.Reader
	tell func()
}

func (h heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		h.tell()
	}
	return n, err
}

// plain shortens an error, so that a common cause reads the same for all programs.
func plain(ctx context.Context, base string, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err
	}
	return fmt.Errorf("%s: %w", base, err)
}
