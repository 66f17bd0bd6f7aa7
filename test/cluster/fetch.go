package cluster

import (
	"bufio"
	"cmp"
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

// releases is where Kubernetes publishes its programs, and which of them are known by their checksums. No other is fetched.
type releases struct {
	base     string            // a URL; empty: nothing is fetched
	pins     map[string]string // SHA-256 by path below base
	client   *http.Client
	patience time.Duration // how long no byte may come
}

// publishedReleases are those of Kubernetes, or of the mirror that KUBERNETES_RELEASES names. With none, nothing is fetched.
func publishedReleases(root checkout) (releases, error) {
	pins, err := readPins(filepath.Join(string(root), "tools", "kubernetes-releases.sha256"))
	if err != nil {
		return releases{}, err
	}
	r := releases{pins: pins, client: &http.Client{}, patience: 20 * time.Second}
	if base := cmp.Or(os.Getenv("KUBERNETES_RELEASES"), "https://dl.k8s.io"); base != "none" {
		r.base = strings.TrimRight(base, "/")
	}
	return r, nil
}

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

// published is the path of a tool among what Kubernetes publishes. It is empty for what is not there.
func (t tool) published(version, system, arch string) string {
	if t.source != "k8s.io/kubernetes" || system != "linux" || arch != "amd64" && arch != "arm64" {
		return ""
	}
	return fmt.Sprintf("%s/bin/%s/%s/%s", version, system, arch, t.program())
}

// version is the newest one of a minor version of which all these tools have a checksum for this machine, so that all of them
// are of one version. It is the zero one if there is none.
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

// downloads finds what can be fetched: of each release, one version of the minor that its module pins. It tells of which
// release that is none.
func (p provider) downloads(tools []tool) (all []download, err error) {
	byModule := map[string][]tool{}
	for _, t := range tools {
		if p.published.base != "" && t.published("", runtime.GOOS, runtime.GOARCH) != "" {
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

// fetch fetches what Kubernetes publishes, all at once, and returns what is left to be built. Why something could not be
// fetched is no error: it can be built.
func (p provider) fetch(ctx context.Context, tools []tool) (left []tool, err error) {
	wanted, err := p.downloads(tools)
	if err != nil || len(wanted) == 0 {
		return tools, err
	}
	var titles []string
	for _, d := range wanted {
		titles = append(titles, fmt.Sprintf("%s %s", d.name, d.version))
	}
	fmt.Fprintf(p.log, "fetching %s from %s ...\n", strings.Join(titles, ", "), p.published.base)
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

// fetchAll returns what has failed, by the reason.
func (p provider) fetchAll(ctx context.Context, wanted []download) (failed map[string][]string) {
	errs := make([]error, len(wanted))
	var all sync.WaitGroup
	for i, d := range wanted {
		all.Go(func() {
			errs[i] = p.published.get(ctx, d.published(d.version.String(), runtime.GOOS, runtime.GOARCH), d.file)
		})
	}
	all.Wait()
	failed = map[string][]string{}
	for i, d := range wanted {
		// Not before all are there: a file is busy while a process that another one has begun still holds it.
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

// get fetches one program into a file that can be run. The file is not there after an error.
func (r releases) get(ctx context.Context, path, file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	hash := sha256.New()
	err = errors.Join(r.read(ctx, path, io.MultiWriter(f, hash)), f.Close())
	if got := hex.EncodeToString(hash.Sum(nil)); err == nil && got != r.pins[path] {
		err = fmt.Errorf("%s/%s has the checksum %s, and should have %s", r.base, path, got, r.pins[path])
	}
	if err != nil {
		os.Remove(file)
	}
	return err
}

// read reads a file, and gives up when nothing comes any more.
func (r releases) read(ctx context.Context, path string, to io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(r.patience, func() { cancel(fmt.Errorf("%s sends nothing for %s", r.base, r.patience)) })
	defer silent.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+"/"+path, nil)
	if err != nil {
		return err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return r.plain(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", request.URL, response.Status)
	}
	_, err = io.Copy(to, heard{response.Body, func() { silent.Reset(r.patience) }})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s breaks off", request.URL)
	}
	return r.plain(ctx, err)
}

// heard tells when something was read.
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

// plain says why in few words, the same for all programs if it is the same.
func (r releases) plain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err
	}
	return fmt.Errorf("%s: %w", r.base, err)
}
