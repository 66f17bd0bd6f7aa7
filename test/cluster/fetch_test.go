package cluster

import (
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
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

// publishedVersion is not the one that the scene's module pins, but is of the same minor version.
const publishedVersion = "v1.37.1"

func pathOf(version, name string) string {
	return fmt.Sprintf("%s/bin/linux/%s/%s", version, runtime.GOARCH, name)
}

func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// newSite has the programs of a scene in these versions.
func newSite(versions ...string) *site {
	s := &site{files: map[string]string{}}
	for _, version := range versions {
		for _, name := range []string{"kube-apiserver", "kubectl"} {
			s.files[pathOf(version, name)] = script(version, "fetched")
		}
	}
	return s
}

// pins are the checksums of all that is there.
func (s *site) pins() map[string]string {
	pins := map[string]string{}
	for path, text := range s.files {
		pins[path] = sumOf(text)
	}
	return pins
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

// serve has the scene fetch from a site, whose checksums it knows.
func (s *scene) serve(from *site) *httptest.Server {
	server := httptest.NewUnstartedServer(from)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that hang up are on purpose
	server.Start()
	s.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	s.published = releases{base: server.URL, pins: from.pins(), client: server.Client(), patience: time.Minute}
	return server
}

// requireVersion checks which version of a program was provided.
func (s *scene) requireVersion(name, want string) {
	s.Helper()
	if v, err := versionOf(s.Context(), name, s.root.tool(name)); err != nil || v.String() != want {
		s.Errorf("%s is %s, %v, want %s, after\n%s", name, v, err, want, s.said)
	}
}

// What is fetched has a checksum that is known. It is of the same minor version as the module pins.
func TestToolsAreFetched(t *testing.T) {
	needsPublished(t)
	s := newScene(t)
	server := s.serve(newSite(publishedVersion))
	s.provideAll()
	s.requireMade("kube-apiserver", "fetched")
	s.requireMade("kubectl", "fetched")
	s.requireVersion("kubectl", publishedVersion)
	s.requireSaid("fetching kube-apiserver v1.37.1, kubectl v1.37.1 from "+server.URL, "fetched 2 of 2 in ")
}

func needsPublished(t *testing.T) {
	if kubernetesTool(Newest, "kubectl").published(publishedVersion, runtime.GOOS, runtime.GOARCH) == "" {
		t.Skipf("nothing is fetched for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
}

// Of the versions that are known, the newest is fetched of which all programs are known. So all are of one version.
func TestWhichVersionIsFetched(t *testing.T) {
	needsPublished(t)
	for name, c := range map[string]struct {
		pinned []string
		forget string // a program of which there is no checksum
		want   string // empty: both are built
	}{
		"the newest":                       {pinned: []string{"v1.37.3", "v1.37.10", "v1.37.9"}, want: "v1.37.10"},
		"the newest that is complete":      {pinned: []string{"v1.37.1", "v1.37.2"}, forget: pathOf("v1.37.2", "kubectl"), want: "v1.37.1"},
		"none that lacks one":              {pinned: []string{"v1.37.1"}, forget: pathOf("v1.37.1", "kubectl")},
		"none of another minor version":    {pinned: []string{"v1.36.1", "v1.38.0", "v2.37.0"}},
		"none that is no release":          {pinned: []string{"v1.37.3-rc.1"}},
		"none at all, as none is known of": {},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.serve(newSite(c.pinned...))
			delete(s.published.pins, c.forget)
			s.provideAll()
			if c.want != "" {
				s.requireVersion("kube-apiserver", c.want)
				s.requireVersion("kubectl", c.want)
				return
			}
			s.requireMade("kube-apiserver", "built")
			s.requireMade("kubectl", "built")
			s.requireSaid("not fetched: kube-apiserver, kubectl: no checksum is known of a version like " + sceneVersion)
		})
	}
}

// Whatever is wrong with what is published, it is said, and the programs are built.
func TestFetchingThatFails(t *testing.T) {
	needsPublished(t)
	server, kubectl := pathOf(publishedVersion, "kube-apiserver"), pathOf(publishedVersion, "kubectl")
	for name, c := range map[string]struct {
		change func(*scene, *site)
		made   string // of kubectl; the other one is built in any case
		said   string
	}{
		"wrong checksum": {func(_ *scene, from *site) {
			from.files[server] += "\n"
			from.files[kubectl] += "\n"
		}, "built", "and should have " + sumOf(script(publishedVersion, "fetched"))},
		"one is missing":   {func(_ *scene, from *site) { delete(from.files, server) }, "fetched", "answers 404 Not Found"},
		"nothing is there": {func(_ *scene, from *site) { from.files = nil }, "built", "answers 404 Not Found"},
		"cut short": {func(_ *scene, from *site) {
			from.odd = func(w http.ResponseWriter, path string) bool {
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
				fmt.Fprint(w, "#!/bin/sh\n")
				w.(http.Flusher).Flush()
				<-s.Context().Done()
				return true
			}
		}, "built", "sends nothing for 300ms"},
		"not the version": {func(s *scene, from *site) {
			from.files[server], from.files[kubectl] = script("v1.37.0", "fetched"), script("v1.37.0", "fetched")
			s.published.pins = from.pins()
		}, "built", "what was fetched is v1.37.0, and not v1.37.1"},
		"does not run": {func(s *scene, from *site) {
			from.files[server], from.files[kubectl] = "\x7fELF of another machine", "\x7fELF of another machine"
			s.published.pins = from.pins()
		}, "built", "what was fetched does not run here"},
		"leads on and on": {func(s *scene, from *site) {
			from.odd = func(w http.ResponseWriter, path string) bool {
				w.Header().Set("Location", "/"+path)
				w.WriteHeader(http.StatusFound)
				return true
			}
		}, "built", "stopped after 10 redirects"},
		"nobody there":      {func(s *scene, _ *site) { s.published.base = "https://127.0.0.1:1" }, "built", "kube-apiserver, kubectl: https://127.0.0.1:1: dial tcp"},
		"no TLS over there": {func(s *scene, _ *site) { s.published.base = strings.Replace(s.published.base, "http:", "https:", 1) }, "built", "HTTPS"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			from := newSite(publishedVersion)
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

// The file of checksums has, of each version in it, all programs that are used, so that what is fetched for one release is of
// one version; and it has such a version of each release. What is wrong in it is no checksum that nobody asks for.
func TestReadPins(t *testing.T) {
	root, err := findCheckout()
	require.NoError(t, err)
	r, err := publishedReleases(root)
	require.NoError(t, err)
	used := map[string]bool{}
	for _, release := range []Release{Newest, Oldest} {
		pinned, err := toolset(release)[0].version(root)
		require.NoError(t, err)
		v := r.version(parseVersion(pinned), nil)
		if v == (version{}) {
			t.Errorf("no version like %s has a checksum", pinned)
		}
		for _, one := range slices.Concat(toolset(release), onRequest) {
			for path := range r.pins {
				if of := parseVersion(path); one.release == release && of.sameMinor(v) {
					used[one.published(of.String(), "linux", "amd64")] = true
					used[one.published(of.String(), "linux", "arm64")] = true
				}
			}
		}
	}
	delete(used, "") // what Kubernetes does not publish
	for path := range used {
		if r.pins[path] == "" {
			t.Errorf("%s has no checksum", path)
		}
	}
	for path := range r.pins {
		if !used[path] {
			t.Errorf("%s is not in use", path)
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
