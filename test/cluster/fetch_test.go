package cluster

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// publishedVersion differs from the version pinned by the scene's module, but has the same minor version.
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

// pins are the checksums of all files of the site.
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
	s.published = releases{bases: map[string]string{"kubernetes": server.URL}, pins: from.pins(), client: server.Client(), patience: time.Minute}
	return server
}

// requireVersion checks which version of a program was provided.
func (s *scene) requireVersion(name, want string) {
	s.Helper()
	if v, err := versionOf(s.Context(), name, s.root.tool(name)); err != nil || v.String() != want {
		s.Errorf("%s is %s, %v, want %s, after\n%s", name, v, err, want, s.said)
	}
}

// Fetched programs have a known checksum. They have the minor version that the module pins.
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

// etcd is published in an archive, from which the program is taken once the checksum is right.
func TestEtcdIsFetched(t *testing.T) {
	needsPublished(t)
	const version = "v3.6.1" // the module of the scene pins another one of that minor
	program := "#!/bin/sh\n# fetched\necho etcd Version: 3.6.1\n"
	folder := "etcd-" + version + "-" + runtime.GOOS + "-" + runtime.GOARCH
	for name, c := range map[string]struct {
		archive string
		pin     func(archive string) string
		said    string // empty: it is fetched
	}{
		"right":        {archive: archiveOf(t, folder+"/README.md", "text", folder+"/etcd", program), pin: sumOf},
		"checksum":     {archive: archiveOf(t, folder+"/etcd", program), pin: func(string) string { return sumOf("other") }, said: "and should have " + sumOf("other")},
		"no program":   {archive: archiveOf(t, folder+"/etcdctl", program), pin: sumOf, said: "unpacking " + folder + "/etcd: it is not in the archive"},
		"no archive":   {archive: program, pin: sumOf, said: "unpacking " + folder + "/etcd: gzip"},
		"not the same": {archive: archiveOf(t, folder+"/etcd", strings.ReplaceAll(program, "3.6.1", "3.6.2")), pin: sumOf, said: "what was fetched is v3.6.2, and not v3.6.1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			etcd := toolset(Newest)[slices.IndexFunc(toolset(Newest), func(t tool) bool { return t.name == "etcd" })]
			module := s.root.toolsModule("etcd")
			write(t, filepath.Join(module, "go.mod"), "module tools\n\nrequire go.etcd.io/etcd/server/v3 v3.6.5\n")
			write(t, filepath.Join(module, "go.sum"), "")
			path := etcd.published(version, runtime.GOOS, runtime.GOARCH)
			from := &site{files: map[string]string{path: c.archive}}
			server := s.serve(from)
			s.published.bases = map[string]string{"kubernetes": "https://127.0.0.1:1", "etcd": server.URL}
			s.published.pins = map[string]string{path: c.pin(c.archive)}
			left, err := s.fetch(t.Context(), []tool{etcd})
			require.NoError(t, err)
			if c.said == "" {
				require.Empty(t, left, s.said.String())
				text, err := os.ReadFile(s.root.tool("etcd"))
				require.NoError(t, err)
				require.Equal(t, program, string(text))
				s.requireSaid("fetching etcd v3.6.1 from "+server.URL, "fetched 1 of 1 in ")
				return
			}
			require.Len(t, left, 1)
			s.requireSaid("not fetched: etcd: ", c.said)
			files, err := filepath.Glob(s.root.tool(".etcd*"))
			require.NoError(t, err)
			require.Empty(t, files, "left behind")
		})
	}
}

// archiveOf has files of these names and texts, as in the archives that etcd publishes.
func archiveOf(t *testing.T, namesAndTexts ...string) string {
	t.Helper()
	var out bytes.Buffer
	text := gzip.NewWriter(&out)
	files := tar.NewWriter(text)
	for i := 0; i < len(namesAndTexts); i += 2 {
		require.NoError(t, files.WriteHeader(&tar.Header{Name: namesAndTexts[i], Size: int64(len(namesAndTexts[i+1])), Mode: 0o755, Typeflag: tar.TypeReg}))
		_, err := files.Write([]byte(namesAndTexts[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, errors.Join(files.Close(), text.Close()))
	return out.String()
}

func needsPublished(t *testing.T) {
	if kubernetesTool(Newest, "kubectl").published(publishedVersion, runtime.GOOS, runtime.GOARCH) == "" {
		t.Skipf("nothing is fetched for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
}

// The newest known version is fetched for which all programs are known. So all have one version.
func TestWhichVersionIsFetched(t *testing.T) {
	needsPublished(t)
	for name, c := range map[string]struct {
		pinned []string
		forget string // a program without a checksum
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

// A faulty publication is logged, whatever the fault, and the programs are built.
func TestFetchingThatFails(t *testing.T) {
	needsPublished(t)
	server, kubectl := pathOf(publishedVersion, "kube-apiserver"), pathOf(publishedVersion, "kubectl")
	for name, c := range map[string]struct {
		change func(*scene, *site)
		made   string // origin of kubectl; the other one is built in any case
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
		"nobody there": {func(s *scene, _ *site) { s.published.bases["kubernetes"] = "https://127.0.0.1:1" }, "built", "kube-apiserver, kubectl: https://127.0.0.1:1: dial tcp"},
		"no TLS over there": {func(s *scene, _ *site) {
			s.published.bases["kubernetes"] = strings.Replace(s.published.bases["kubernetes"], "http:", "https:", 1)
		}, "built", "HTTPS"},
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

// Only programs that Kubernetes and etcd publish are fetched, for the machines for which they are published.
func TestWhatIsPublished(t *testing.T) {
	for _, one := range toolset(Newest) {
		want := ""
		switch {
		case one.source == "k8s.io/kubernetes":
			want = "v1.2.3/bin/linux/arm64/" + one.name
		case one.name == "etcd":
			want = "v1.2.3/etcd-v1.2.3-linux-arm64.tar.gz"
		}
		if path := one.published("v1.2.3", "linux", "arm64"); path != want {
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

// For each version in it, the file of checksums has all programs that are used, so that programs fetched for one release have one version;
// and it has such a version for each release. Invalid lines in it are no checksums.
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
			if one.name == "etcd" {
				of, err := one.version(root)
				require.NoError(t, err)
				used[one.published(of, "linux", "amd64")] = true
				used[one.published(of, "linux", "arm64")] = true
				continue
			}
			for path := range r.pins {
				if of := parseVersion(path); one.release == release && of.sameMinor(v) {
					used[one.published(of.String(), "linux", "amd64")] = true
					used[one.published(of.String(), "linux", "arm64")] = true
				}
			}
		}
	}
	delete(used, "") // programs that Kubernetes does not publish
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
	const kubernetes, etcd = "https://dl.k8s.io", "https://github.com/etcd-io/etcd/releases/download"
	for _, c := range []struct{ kubernetes, etcd, wantKubernetes, wantEtcd string }{
		{"", "", kubernetes, etcd},
		{"none", "", "", ""},
		{"none", "https://mirror.example/etcd", "", ""},
		{"", "none", kubernetes, ""},
		{"https://mirror.example/k8s/", "https://mirror.example/etcd/", "https://mirror.example/k8s", "https://mirror.example/etcd"},
	} {
		t.Setenv("KUBERNETES_RELEASES", c.kubernetes)
		t.Setenv("ETCD_RELEASES", c.etcd)
		if r, err := publishedReleases(root); err != nil || r.bases["kubernetes"] != c.wantKubernetes || r.bases["etcd"] != c.wantEtcd {
			t.Errorf("%+v: %q, %q, %v", c, r.bases["kubernetes"], r.bases["etcd"], err)
		}
	}
}
