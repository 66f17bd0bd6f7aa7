package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Skopeo reads an archive in both of its formats and finds the same image; umoci unpacks what skopeo has copied.
func TestSkopeoAndUmoci(t *testing.T) {
	tools := needDebianTools(t)
	bin := t.TempDir()
	skopeo, umoci := tools.wrap(t, bin, "skopeo", "--insecure-policy"), tools.wrap(t, bin, "umoci")
	for _, c := range components {
		dir := t.TempDir()
		path := filepath.Join(dir, "image.tar")
		if err := os.WriteFile(path, archiveOf(t, c.name, images[c.name]), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := inspect(t, skopeo, "oci-archive:"+path); got.Digest != digest(t, images[c.name]) || !slices.Equal(got.Env, []string{"PATH=/bin"}) {
			t.Errorf("%s: skopeo finds %v", c.name, got)
		}
		mustRun(t, skopeo, "copy", "-q", "docker-archive:"+path+":"+reference(c.name), "oci:"+dir+"/docker:test")
		mustRun(t, skopeo, "copy", "-q", "oci-archive:"+path, "oci:"+dir+"/oci:test")
		for _, from := range []string{"docker", "oci"} {
			bundle := filepath.Join(dir, "unpacked-"+from)
			mustRun(t, umoci, append(rootless(), "--image", filepath.Join(dir, from)+":test", bundle)...)
			checkCopies(t, c, filepath.Join(bundle, "rootfs"))
		}
	}
}

// Skopeo copies the archive of several architectures whole.
func TestSkopeoCopiesAllArchitectures(t *testing.T) {
	tools := needDebianTools(t)
	skopeo := tools.wrap(t, t.TempDir(), "skopeo", "--insecure-policy")
	dir := t.TempDir()
	path := filepath.Join(dir, "image.tar")
	written, err := writeArchive(path, reference("x"), imagesOfEach(t)...)
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, skopeo, "copy", "-q", "--all", "oci-archive:"+path, "oci:"+dir+"/copy:test")
	for _, arch := range knownArchitectures() {
		got := inspect(t, skopeo, "--override-arch", arch, "oci:"+dir+"/copy:test")
		if got.Architecture != arch {
			t.Errorf("of %s, skopeo finds %v in the copy for %s", written, got, arch)
		}
	}
}

// inspected is the report of skopeo on an image.
type inspected struct {
	Digest       v1.Hash
	Architecture string
	Env          []string
}

// inspect takes flags of skopeo itself before the image.
func inspect(t *testing.T, skopeo string, args ...string) inspected {
	t.Helper()
	image := len(args) - 1
	out := mustRun(t, skopeo, slices.Concat(args[:image], []string{"inspect"}, args[image:])...)
	var got inspected
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// rootless are the arguments by which umoci unpacks as the current user.
func rootless() []string {
	if os.Getuid() == 0 {
		return []string{"unpack"}
	}
	return []string{"unpack", "--rootless"}
}
