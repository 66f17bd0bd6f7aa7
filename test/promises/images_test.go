package promises

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// namedImage finds the images of manifests, in the documentation too, except for images that a template fills in.
var namedImage = regexp.MustCompile(`\bimage: ['"]?([a-z][\w./:@-]+)`)

// noImage is the image in the pod sets of a Workload, from which no Pods are created.
const noImage = "none"

// ours are the images that we build. The original's images have the same names, in the public registry, with other tags.
var ours = []string{"frameworkcontroller", "frameworkbarrier", "frameworkhistory"}

// A reader who copies a manifest from here gets the intended image: each has a tag, or else it would be the newest image of that name,
// which for our names is one of the original. Names for an image of the reader begin with my/.
func TestImagesHaveTags(t *testing.T) {
	counted := map[string]int{}
	for _, file := range imageFiles(t) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range namedImage.FindAllStringSubmatch(string(text), -1) {
			name, tag := splitImage(found[1])
			counted[path.Base(name)]++
			if (tag == "" || tag == "latest") && !strings.HasPrefix(name, "my/") && name != noImage {
				t.Errorf("%s: %s has no tag", strings.TrimPrefix(file, root+"/"), found[1])
			}
		}
	}
	for _, name := range ours {
		if counted[name] == 0 {
			t.Errorf("no image %s was found: %v", name, counted)
		}
	}
}

// splitImage returns the name and the tag or digest of an image. A registry may have a port.
func splitImage(image string) (name, tag string) {
	if name, digest, found := strings.Cut(image, "@"); found {
		return name, digest
	}
	if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") {
		return image[:i], image[i+1:]
	}
	return image, ""
}

// imageFiles returns the files to be copied or applied. The contract is left out, because it describes the original.
func imageFiles(t *testing.T) (files []string) {
	t.Helper()
	kinds := []string{".md", ".yaml", ".txt"}
	for _, dir := range []string{"README.md", "docs", "example", "deploy", "plugins", "tools/plugin-new"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && slices.Contains(kinds, filepath.Ext(file)) && filepath.Base(file) != "contract.md" {
				files = append(files, file)
			}
			return err
		})
		require.NoError(t, err)
	}
	return files
}

func TestSplitImage(t *testing.T) {
	for image, want := range map[string][2]string{
		"busybox":                            {"busybox", ""},
		"frameworkcontroller/x:dev":          {"frameworkcontroller/x", "dev"},
		"registry.example.com:5000/x":        {"registry.example.com:5000/x", ""},
		"registry.example.com:5000/x:2026.1": {"registry.example.com:5000/x", "2026.1"},
		"x@sha256:0123":                      {"x", "sha256:0123"},
	} {
		if name, tag := splitImage(image); [2]string{name, tag} != want {
			t.Errorf("%s: got %q and %q", image, name, tag)
		}
	}
}
