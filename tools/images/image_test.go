package main

import (
	"bytes"
	"debug/buildinfo"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// The same sources in another directory, with other times and another order of files, give the same archives.
func TestSameSourcesSameBytes(t *testing.T) {
	needImages(t)
	elsewhere := t.TempDir()
	if err := copySources(sources, elsewhere); err != nil {
		t.Fatal(err)
	}
	again, err := imagesOf(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	for name, image := range images {
		a, b := archiveOf(t, name, image), archiveOf(t, name, again[name])
		if !bytes.Equal(a, b) {
			t.Errorf("%s: digests %v and %v", name, digest(t, image), digest(t, again[name]))
		}
	}
}

func TestOrderOfFilesDoesNotMatter(t *testing.T) {
	files := []file{{path: "b/c", body: []byte("1")}, {path: "a", mode: dirMode | 0o700}, {path: "b/a", link: "c", mode: linkMode}}
	want, err := layerTar(slices.Clone(files))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(files)
	if got, err := layerTar(files); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the reverse order gives another layer (%v)", err)
	}
	if _, err := layerTar([]file{{path: "a"}, {path: "a"}}); err == nil {
		t.Error("a file may be there twice")
	}
}

// Readers of docker save and readers of OCI layouts find the same valid image, under its full name.
func TestArchivesCanBeRead(t *testing.T) {
	needImages(t)
	for name, image := range images {
		path := filepath.Join(t.TempDir(), "image.tar")
		if err := os.WriteFile(path, archiveOf(t, name, image), 0o644); err != nil {
			t.Fatal(err)
		}
		saved, err := tarball.ImageFromPath(path, nil)
		if err != nil {
			t.Fatalf("%s: as docker save writes it: %v", name, err)
		}
		if err := validate.Image(saved); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if configName(t, saved) != configName(t, image) {
			t.Errorf("%s: docker load finds another image", name)
		}
		manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(path) })
		if want := []string{reference(name)}; err != nil || len(manifest) != 1 || !slices.Equal(manifest[0].RepoTags, want) {
			t.Errorf("%s: docker load calls it %v (%v)", name, manifest, err)
		}
		checkLayout(t, path, name, image)
	}
}

func checkLayout(t *testing.T, path, name string, image v1.Image) {
	t.Helper()
	dir := t.TempDir()
	extract(t, path, dir)
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := validate.Index(index); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	d := manifest.Manifests[0]
	if len(manifest.Manifests) != 1 || d.Digest != digest(t, image) || d.Annotations["io.containerd.image.name"] != reference(name) {
		t.Errorf("%s: the layout has %v", name, manifest.Manifests)
	}
}

// An index names each image with its platform, and has no table of contents that knows of one image only.
func TestArchiveOfSeveralArchitectures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "image.tar")
	written, err := writeArchive(path, reference("x"), imagesOfEach(t)...)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	extract(t, path, dir)
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); !os.IsNotExist(err) {
		t.Errorf("manifest.json: %v", err)
	}
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := outer.ImageIndex(written)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := inner.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, d := range manifest.Manifests {
		platforms = append(platforms, d.Platform.String())
	}
	if want := []string{"linux/amd64", "linux/arm64"}; !slices.Equal(platforms, want) {
		t.Errorf("got %v, want %v", platforms, want)
	}
}

// imagesOfEach are small images, one for each architecture.
func imagesOfEach(t *testing.T) []v1.Image {
	t.Helper()
	var each []v1.Image
	for _, arch := range knownArchitectures() {
		image, err := newImage(components[0].config(arch, testVersion, busybox{}), []file{{path: arch}})
		if err != nil {
			t.Fatal(err)
		}
		each = append(each, image)
	}
	return each
}

// Manifests rely on the directory, the entry, and a user that runAsNonRoot can recognize as not root.
func TestHowImagesAreRun(t *testing.T) {
	needImages(t)
	for name, image := range images {
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		c := config.Config
		labels := c.Labels
		entry := []string{"./start.sh"}
		if c.WorkingDir != "/opt/frameworkcontroller/"+name || !slices.Equal(c.Entrypoint, entry) || c.User != "65532:65532" {
			t.Errorf("%s: works in %s, runs %v as %s", name, c.WorkingDir, c.Entrypoint, c.User)
		}
		if labels["busybox.sha256"] != shell.busybox.sha256() || labels["org.opencontainers.image.version"] != testVersion {
			t.Errorf("%s: labels %v", name, labels)
		}
	}
}

// Programs are static, have the given version, and contain nothing about the machine that built them.
func TestPrograms(t *testing.T) {
	needImages(t)
	for name := range images {
		checked := 0
		err := filepath.WalkDir(filepath.Join(rootfs(t, name), "opt"), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != "" {
				return err
			}
			checkProgram(t, path)
			checked++
			return nil
		})
		if err != nil || checked == 0 {
			t.Errorf("%s: found %d programs (%v)", name, checked, err)
		}
	}
}

func checkProgram(t *testing.T, path string) {
	t.Helper()
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["-trimpath"] != "true" || settings["CGO_ENABLED"] != "0" || settings["vcs"] != "" {
		t.Errorf("%s: built with %v", filepath.Base(path), settings)
	}
	if bytes.Contains(binary, []byte(sources)) {
		t.Errorf("%s has the path of the checkout in it", filepath.Base(path))
	}
}

func reference(name string) string {
	return (&build{version: testVersion, registry: defaultRegistry}).reference(component{name: name})
}

func archiveOf(t *testing.T, name string, image v1.Image) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".tar")
	if _, err := writeArchive(path, reference(name), image); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func digest(t *testing.T, image v1.Image) v1.Hash {
	t.Helper()
	h, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func configName(t *testing.T, image v1.Image) v1.Hash {
	t.Helper()
	h, err := image.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The written archives are listed in columns.
func TestList(t *testing.T) {
	var out strings.Builder
	err := list(&out, []archive{
		{Component: "frameworkcontroller", Platforms: []string{"linux/amd64"}, Path: "/out/frameworkcontroller-amd64.tar", Digest: v1.Hash{Algorithm: "sha256", Hex: "1"}},
		{Component: "frameworkbarrier", Platforms: []string{"linux/amd64", "linux/arm64"}, Path: "/out/frameworkbarrier.tar", Digest: v1.Hash{Algorithm: "sha256", Hex: "2"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `COMPONENT             PLATFORMS                 ARCHIVE                              DIGEST
frameworkcontroller   linux/amd64               /out/frameworkcontroller-amd64.tar   sha256:1
frameworkbarrier      linux/amd64,linux/arm64   /out/frameworkbarrier.tar            sha256:2
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}
