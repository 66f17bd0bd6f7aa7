package cluster

import (
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// site plays dl.k8s.io: files by path. How it misbehaves is up to the test.
type site struct {
	files map[string]string
	odd   func(w http.ResponseWriter, path string) (handled bool)
}

func pathOf(name string) string {
	return fmt.Sprintf("%s/bin/linux/%s/%s", sceneVersion, runtime.GOARCH, name)
}

func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// newSite has the programs of a scene, with their checksums.
func newSite() *site {
	s := &site{files: map[string]string{}}
	for _, name := range []string{"kube-apiserver", "kubectl"} {
		s.files[pathOf(name)] = script(sceneVersion, "fetched")
		s.files[pathOf(name)+".sha256"] = sumOf(s.files[pathOf(name)])
	}
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	if s.odd != nil && s.odd(w, path) {
		return
	}
	text, ok := s.files[path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	fmt.Fprint(w, text)
}

// serve has the scene fetch from a site, over TLS.
func (s *scene) serve(from *site) *httptest.Server {
	server := httptest.NewUnstartedServer(from)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that hang up are on purpose
	server.StartTLS()
	s.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	client := server.Client()
	client.CheckRedirect = keepTLS
	s.published = releases{base: server.URL, client: client, patience: time.Minute}
	return server
}

func TestToolsAreFetched(t *testing.T) {
	needsPublished(t)
	s := newScene(t)
	server := s.serve(newSite())
	s.provideAll()
	s.requireMade("kube-apiserver", "fetched")
	s.requireMade("kubectl", "fetched")
	s.requireSaid("fetching kube-apiserver, kubectl from "+server.URL, "fetched 2 of 2 in ")
}

func needsPublished(t *testing.T) {
	if kubernetesTool(Newest, "kubectl").published(sceneVersion, runtime.GOOS, runtime.GOARCH) == "" {
		t.Skipf("nothing is fetched for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
}

// A checksum that is pinned counts, and not the one beside the program. Then it may come without TLS, too.
func TestPinnedChecksum(t *testing.T) {
	needsPublished(t)
	s := newScene(t)
	from := newSite()
	s.serve(from)
	plain := httptest.NewServer(from)
	t.Cleanup(plain.Close)
	s.published.base = plain.URL
	s.published.pins = map[string]string{pathOf("kubectl"): from.files[pathOf("kubectl")+".sha256"]}
	delete(from.files, pathOf("kubectl")+".sha256")
	s.provideAll()
	s.requireMade("kubectl", "fetched")
	s.requireMade("kube-apiserver", "built")
	s.requireSaid("fetched 1 of 2", "not fetched: kube-apiserver: no checksum of "+pathOf("kube-apiserver")+" is pinned")
}

// Whatever is wrong with what is published, it is said, and the programs are built.
func TestFetchingThatFails(t *testing.T) {
	needsPublished(t)
	is := func(path, suffix string) bool { return strings.HasSuffix(path, suffix) }
	for name, c := range map[string]struct {
		change func(*scene, *site)
		made   string // of kubectl; the other one is built in any case
		said   string
	}{
		"wrong checksum": {func(_ *scene, from *site) {
			from.files[pathOf("kubectl")+".sha256"] = sumOf("another")
			from.files[pathOf("kube-apiserver")+".sha256"] = sumOf("another")
		}, "built", "has the checksum "},
		"another than is pinned": {func(s *scene, from *site) {
			s.published.pins = map[string]string{pathOf("kubectl"): sumOf("another"), pathOf("kube-apiserver"): sumOf("another")}
		}, "built", "and should have " + sumOf("another")},
		"one is missing":   {func(_ *scene, from *site) { delete(from.files, pathOf("kube-apiserver")) }, "fetched", "answers 404 Not Found"},
		"nothing is there": {func(_ *scene, from *site) { from.files = nil }, "built", "answers 404 Not Found"},
		"no checksum": {func(_ *scene, from *site) {
			from.files[pathOf("kubectl")+".sha256"], from.files[pathOf("kube-apiserver")+".sha256"] = "<html>", ""
		}, "built", "is no checksum"},
		"cut short": {func(_ *scene, from *site) {
			from.odd = func(w http.ResponseWriter, path string) bool {
				if is(path, ".sha256") {
					return false
				}
				w.Header().Set("Content-Length", "100000")
				fmt.Fprint(w, "#!/bin/sh\n")
				return true
			}
		}, "built", "breaks off"},
		"silent from the start": {func(s *scene, from *site) {
			s.published.patience = 300 * time.Millisecond
			from.odd = func(w http.ResponseWriter, path string) bool { <-s.Context().Done(); return true }
		}, "built", "sends nothing for 300ms"},
		"silent in the middle": {func(s *scene, from *site) {
			s.published.patience = 300 * time.Millisecond
			from.odd = func(w http.ResponseWriter, path string) bool {
				if is(path, ".sha256") {
					return false
				}
				fmt.Fprint(w, "#!/bin/sh\n")
				w.(http.Flusher).Flush()
				<-s.Context().Done()
				return true
			}
		}, "built", "sends nothing for 300ms"},
		"not the version": {func(_ *scene, from *site) {
			for _, name := range []string{"kubectl", "kube-apiserver"} {
				from.files[pathOf(name)] = script("v1.37.1", "fetched")
				from.files[pathOf(name)+".sha256"] = sumOf(from.files[pathOf(name)])
			}
		}, "built", "what was fetched is v1.37.1, and not v1.37.2"},
		"does not run": {func(_ *scene, from *site) {
			for _, name := range []string{"kubectl", "kube-apiserver"} {
				from.files[pathOf(name)] = "\x7fELF of another machine"
				from.files[pathOf(name)+".sha256"] = sumOf(from.files[pathOf(name)])
			}
		}, "built", "what was fetched does not run here"},
		"leads away from TLS": {func(s *scene, from *site) {
			plain := httptest.NewServer(newSite())
			s.Cleanup(plain.Close)
			from.odd = func(w http.ResponseWriter, path string) bool {
				w.Header().Set("Location", plain.URL+"/"+path)
				w.WriteHeader(http.StatusFound)
				return true
			}
		}, "built", "which is not encrypted"},
		"nobody there":        {func(s *scene, _ *site) { s.published.base = "https://127.0.0.1:1" }, "built", "kube-apiserver, kubectl: https://127.0.0.1:1: dial tcp"},
		"another certificate": {func(s *scene, _ *site) { s.published.client = &http.Client{} }, "built", "certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			from := newSite()
			s.serve(from)
			c.change(s, from)
			s.provideAll()
			s.requireMade("kube-apiserver", "built")
			s.requireMade("kubectl", c.made)
			s.requireSaid("not fetched: ", c.said, "building from source: about ")
		})
	}
}

// Only what Kubernetes publishes is fetched, for the machines that it publishes it for.
func TestWhatIsPublished(t *testing.T) {
	for _, one := range toolset(Newest) {
		path := one.published("v1.2.3", "linux", "arm64")
		if want := one.source == "k8s.io/kubernetes"; (path != "") != want || want && path != "v1.2.3/bin/linux/arm64/"+one.name {
			t.Errorf("%s: %q", one.name, path)
		}
		if path := one.published("v1.2.3", "darwin", "arm64"); path != "" {
			t.Errorf("%s: %q", one.name, path)
		}
	}
	if path := kubernetesTool(Oldest, "kubelet").published("v1.2.3", "linux", "amd64"); path != "v1.2.3/bin/linux/amd64/kubelet" {
		t.Errorf("kubelet: %q", path)
	}
}

// The file of checksums is read as it is, and what is wrong in it is no checksum that nobody asks for.
func TestReadPins(t *testing.T) {
	root, err := findCheckout()
	require.NoError(t, err)
	r, err := publishedReleases(root)
	require.NoError(t, err)
	versions := map[string]bool{}
	for _, one := range []tool{toolset(Newest)[0], toolset(Oldest)[0]} {
		version, err := one.version(root)
		require.NoError(t, err)
		versions[version] = true
	}
	for path := range r.pins {
		if version, _, _ := strings.Cut(path, "/"); !versions[version] {
			t.Errorf("%s is of a version that is not in use", path)
		}
	}
	file := t.TempDir() + "/pins"
	write(t, file, "# a comment\n\n"+sumOf("a")+"  v1/a\n")
	if pins, err := readPins(file); err != nil || len(pins) != 1 || pins["v1/a"] != sumOf("a") {
		t.Errorf("%v, %v", pins, err)
	}
	for _, bad := range []string{"abc  v1/a\n", sumOf("a") + " v1/a\n", sumOf("a") + "\n"} {
		write(t, file, bad)
		if pins, err := readPins(file); err == nil {
			t.Errorf("%q is read as %v", bad, pins)
		}
	}
}

func TestMirror(t *testing.T) {
	root, err := findCheckout()
	require.NoError(t, err)
	for value, want := range map[string]string{"": "https://dl.k8s.io", "none": "", "https://mirror.example/k8s/": "https://mirror.example/k8s"} {
		t.Setenv("KUBERNETES_RELEASES", value)
		if r, err := publishedReleases(root); err != nil || r.base != want {
			t.Errorf("%q: %q, %v, want %q", value, r.base, err, want)
		}
	}
}
