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

// releases is where Kubernetes publishes its programs, and what is known of them.
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
	r := releases{pins: pins, client: &http.Client{CheckRedirect: keepTLS}, patience: 20 * time.Second}
	if base := cmp.Or(os.Getenv("KUBERNETES_RELEASES"), "https://dl.k8s.io"); base != "none" {
		r.base = strings.TrimRight(base, "/")
	}
	return r, nil
}

// keepTLS refuses to be sent from a connection that cannot be tampered with to one that can.
func keepTLS(next *http.Request, via []*http.Request) error {
	if via[0].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return fmt.Errorf("it leads to %s, which is not encrypted", next.URL)
	}
	if len(via) > 5 {
		return errors.New("it leads on and on")
	}
	return nil
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

// fetch fetches what Kubernetes publishes, all at once, and returns what is left to be built. Why something could not be
// fetched is no error: it can be built.
func (p provider) fetch(ctx context.Context, tools []tool) (left []tool) {
	var wanted []tool
	for _, t := range tools {
		if p.published.base != "" && t.published("", runtime.GOOS, runtime.GOARCH) != "" {
			wanted = append(wanted, t)
		}
	}
	if len(wanted) == 0 {
		return tools
	}
	fmt.Fprintf(p.log, "fetching %s from %s ...\n", names(wanted), p.published.base)
	start, failed := time.Now(), p.fetchAll(ctx, wanted)
	for _, t := range tools {
		if there, err := t.there(p.root); err != nil || !there {
			left = append(left, t)
		}
	}
	if n := len(tools) - len(left); n > 0 {
		fmt.Fprintf(p.log, "fetched %d of %d in %.0f s\n", n, len(wanted), time.Since(start).Seconds())
	}
	for _, why := range slices.Sorted(maps.Keys(failed)) {
		fmt.Fprintf(p.log, "not fetched: %s: %s\n", strings.Join(failed[why], ", "), why)
	}
	return left
}

// fetchAll returns what has failed, by the reason.
func (p provider) fetchAll(ctx context.Context, tools []tool) (failed map[string][]string) {
	errs := make([]error, len(tools))
	var all sync.WaitGroup
	for i, t := range tools {
		all.Go(func() { errs[i] = p.fetchOne(ctx, t) })
	}
	all.Wait()
	failed = map[string][]string{}
	for i, t := range tools {
		// Not before all are there: a file is busy while a process that another one has begun still holds it.
		if errs[i] == nil {
			errs[i] = p.checkFetched(ctx, t)
		}
		if err := errs[i]; err != nil {
			failed[err.Error()] = append(failed[err.Error()], t.name)
		}
	}
	return failed
}

func (p provider) fetchOne(ctx context.Context, t tool) error {
	pinned, err := t.version(p.root)
	if err != nil {
		return err
	}
	return p.published.get(ctx, t.published(pinned, runtime.GOOS, runtime.GOARCH), p.fetched(t))
}

// fetched is where a program is until it has been looked at.
func (p provider) fetched(t tool) string { return p.root.tool("." + t.name + ".fetched") }

func (p provider) checkFetched(ctx context.Context, t tool) error {
	defer os.Remove(p.fetched(t)) // unless it has its place
	pinned, err := t.version(p.root)
	if err != nil {
		return err
	}
	got, err := versionOf(ctx, t.program(), p.fetched(t))
	if err != nil {
		return fmt.Errorf("what was fetched does not run here: %w", err)
	}
	if got != parseVersion(pinned) {
		return fmt.Errorf("what was fetched is %s, and not %s", got, pinned)
	}
	return t.put(p.root, p.fetched(t))
}

// get fetches one program into a file that can be run. The file is not there after an error.
func (r releases) get(ctx context.Context, path, file string) error {
	want, err := r.sum(ctx, path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	hash := sha256.New()
	err = errors.Join(r.read(ctx, path, io.MultiWriter(f, hash)), f.Close())
	if got := hex.EncodeToString(hash.Sum(nil)); err == nil && got != want {
		err = fmt.Errorf("%s/%s has the checksum %s, and should have %s", r.base, path, got, want)
	}
	if err != nil {
		os.Remove(file)
	}
	return err
}

// sum is the checksum that is pinned. Where none is, it is the one that is published beside the program, which protects from
// mishaps, and from tampering as far as the connection does.
func (r releases) sum(ctx context.Context, path string) (string, error) {
	if pin := r.pins[path]; pin != "" {
		return pin, nil
	}
	if u, err := url.Parse(r.base); err != nil || u.Scheme != "https" {
		return "", fmt.Errorf("no checksum of %s is pinned, and one from %s is not to be trusted, as that is not encrypted", path, r.base)
	}
	var text strings.Builder
	if err := r.read(ctx, path+".sha256", &text); err != nil {
		return "", err
	}
	sum, _, _ := strings.Cut(strings.TrimSpace(text.String()), " ")
	if !checksum.MatchString(sum) {
		return "", fmt.Errorf("%s/%s.sha256 is no checksum", r.base, path)
	}
	return sum, nil
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
