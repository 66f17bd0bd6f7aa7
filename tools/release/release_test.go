package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// dry is a release of this checkout for this machine, without images, which are built and compared in tools/images.
func dry(out string) *release {
	return &release{
		source: source{root: "../..", commit: strings.Repeat("a1", 20), time: time.Unix(1_800_000_000, 0).UTC(),
			notes: "### Added\n\n- [A page](docs/releases.md)."},
		version: "v1.2.3", out: out, registry: "registry.example.com/team", url: "https://example.com/releases",
		platforms: []string{runtime.GOOS + "/" + runtime.GOARCH},
	}
}

// Two builds of one commit are equal byte for byte, at any time and in any folder; and the folder is complete.
func TestRelease(t *testing.T) {
	first, second := dry(filepath.Join(t.TempDir(), "a")), dry(filepath.Join(t.TempDir(), "elsewhere", "b"))
	require.NoError(t, first.make(context.Background()))
	require.NoError(t, second.make(context.Background()))
	names, err := first.files()
	require.NoError(t, err)
	archive := first.pluginArchive(first.platforms[0])
	require.ElementsMatch(t, names, []string{archive, "SHA256SUMS", "framework.krew.yaml", "frameworkcontroller-1.2.3.tgz",
		"frameworks-crd.yaml", "history.yaml", "install.yaml", "provenance.intoto.json", "release-notes.md", "sbom.spdx.json"})
	for _, name := range names {
		if !bytes.Equal(read(t, first, name), read(t, second, name)) {
			t.Errorf("%s: two builds differ", name)
		}
	}
	t.Run("checksums", func(t *testing.T) { checkSums(t, first, names) })
	t.Run("plugin of kubectl", func(t *testing.T) { checkPlugin(t, first, archive) })
	t.Run("chart", func(t *testing.T) { checkChart(t, first) })
	t.Run("manifests", func(t *testing.T) { checkManifests(t, first, "registry.example.com/team") })
	t.Run("krew manifest", func(t *testing.T) { checkKrewManifest(t, first, archive) })
	t.Run("SBOM", func(t *testing.T) { checkSBOM(t, first) })
	t.Run("provenance", func(t *testing.T) { checkProvenance(t, first) })
	t.Run("release notes", func(t *testing.T) {
		notes := string(read(t, first, "release-notes.md"))
		require.Contains(t, notes, "# FrameworkController v1.2.3\n\n### Added\n\n- [A page](https://github.com/frameworkcontroller/frameworkcontroller/blob/v1.2.3/docs/releases.md).")
		require.Contains(t, notes, "helm install frameworkcontroller https://example.com/releases/v1.2.3/frameworkcontroller-1.2.3.tgz")
	})
}

// Only a release, or nothing, is replaced by a release.
func TestForeignFolderIsKept(t *testing.T) {
	r := dry(t.TempDir())
	write(t, filepath.Join(r.out, "notes.txt"), "of somebody")
	require.ErrorContains(t, r.make(t.Context()), "has files, and is no release")
	require.FileExists(t, filepath.Join(r.out, "notes.txt"))
	write(t, filepath.Join(r.out, checksums), "")
	require.NoError(t, requireReplaceable(r.out))
	require.NoError(t, requireReplaceable(filepath.Join(r.out, "nothing")))
}

// A dry run writes the files for a test of the chart, from any working tree and for a version that CHANGELOG.md lacks.
func TestDryRun(t *testing.T) {
	out := t.TempDir()
	require.NoError(t, run(t.Context(), []string{"-version", "v7.8.9", "-root", "../..", "-out", out, "-dry"}))
	checkManifests(t, &release{out: out, version: "v7.8.9"}, "frameworkcontroller")
	require.FileExists(t, filepath.Join(out, "frameworkcontroller-7.8.9.tgz"))
}

func checkSums(t *testing.T, r *release, names []string) {
	lines := strings.Split(strings.TrimSpace(string(read(t, r, checksums))), "\n")
	require.Len(t, lines, len(names)-1)
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		require.Equal(t, sha256Of(read(t, r, name)), sum)
	}
}

// The binary in the archive runs, and prints version and commit.
func checkPlugin(t *testing.T, r *release, archive string) {
	if !strings.HasSuffix(archive, ".tar.gz") {
		t.Skip("a zip")
	}
	files := unpack(t, read(t, r, archive))
	require.Contains(t, files, "LICENSE")
	path := filepath.Join(t.TempDir(), "kubectl-framework")
	require.NoError(t, os.WriteFile(path, files["kubectl-framework"], 0o755))
	out, err := exec.CommandContext(t.Context(), path, "version").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "kubectl-framework v1.2.3 (commit "+r.commit+", "+runtime.Version()+", "+r.platforms[0]+")\n", string(out))
}

func checkChart(t *testing.T, r *release) {
	files := unpack(t, read(t, r, r.chartFile()))
	chart := parsed(t, files["frameworkcontroller/Chart.yaml"])
	require.Equal(t, "1.2.3", chart["version"])
	require.Equal(t, "v1.2.3", chart["appVersion"])
	values := parsed(t, files["frameworkcontroller/values.yaml"])
	require.Equal(t, "registry.example.com/team/frameworkcontroller", values["image"].(map[string]any)["repository"])
	require.Equal(t, "registry.example.com/team/frameworkhistory", values["history"].(map[string]any)["image"].(map[string]any)["repository"])
	for _, name := range []string{"crds/frameworks.yaml", "templates/deployment.yaml", "templates/_frameworkcontroller.tpl", "values.schema.json"} {
		require.Contains(t, files, "frameworkcontroller/"+name)
	}
}

// checkManifests requires that each manifest has the image of the release, and nothing of a checkout.
func checkManifests(t *testing.T, r *release, registry string) {
	for file, image := range map[string]string{"install.yaml": "frameworkcontroller", "history.yaml": "frameworkhistory"} {
		text := string(read(t, r, file))
		require.Contains(t, text, "image: "+registry+"/"+image+":"+r.version.String()+"\n", file)
		for _, foreign := range []string{":dev\n", "make manifests", "deploy/"} {
			require.NotContains(t, text, foreign, file)
		}
	}
}

func checkKrewManifest(t *testing.T, r *release, archive string) {
	spec := parsed(t, read(t, r, "framework.krew.yaml"))["spec"].(map[string]any)
	require.Equal(t, "v1.2.3", spec["version"])
	platforms := spec["platforms"].([]any)
	require.Len(t, platforms, 1)
	p := platforms[0].(map[string]any)
	require.Equal(t, map[string]any{"matchLabels": map[string]any{"os": runtime.GOOS, "arch": runtime.GOARCH}}, p["selector"])
	require.Equal(t, "https://example.com/releases/v1.2.3/"+archive, p["uri"])
	require.Equal(t, sha256Of(read(t, r, archive)), p["sha256"])
}

// Each module of the program is in the SBOM with its version, and each relationship names packages that exist.
func checkSBOM(t *testing.T, r *release) {
	var s spdxDocument
	require.NoError(t, json.Unmarshal(read(t, r, "sbom.spdx.json"), &s))
	known := map[string]string{s.ID: ""}
	versions := map[string]string{}
	for _, p := range s.Packages {
		known[p.ID], versions[p.Name] = p.Name, p.Version
	}
	require.Len(t, known, len(s.Packages)+1, "each package has an ID of its own")
	for _, relationship := range s.Relationships {
		require.Contains(t, known, relationship.Element)
		require.Contains(t, known, relationship.Related)
	}
	require.Equal(t, "v1.2.3", versions["kubectl-framework"])
	require.Equal(t, strings.TrimPrefix(runtime.Version(), "go"), versions["stdlib"])
	require.NotEmpty(t, r.programs)
	for _, m := range r.programs[0].info.Deps {
		require.Equal(t, m.Version, versions[m.Path])
	}
}

func checkProvenance(t *testing.T, r *release) {
	var s struct {
		Type    string `json:"_type"`
		Subject []struct {
			Name   string
			Digest map[string]string
		}
		Predicate struct {
			BuildDefinition struct {
				ResolvedDependencies []struct{ Digest map[string]string }
			}
			RunDetails struct{ Builder struct{ ID string } }
		}
	}
	require.NoError(t, json.Unmarshal(read(t, r, provenance), &s))
	require.Equal(t, "https://in-toto.io/Statement/v1", s.Type)
	require.Len(t, s.Subject, 8)
	for _, subject := range s.Subject {
		require.Equal(t, sha256Of(read(t, r, subject.Name)), subject.Digest["sha256"])
	}
	require.Equal(t, r.commit, s.Predicate.BuildDefinition.ResolvedDependencies[0].Digest["gitCommit"])
	require.NotEmpty(t, s.Predicate.RunDetails.Builder.ID)
}

func read(t *testing.T, r *release, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(r.out, name))
	require.NoError(t, err)
	return body
}

func parsed(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var v map[string]any
	require.NoError(t, yaml.Unmarshal(text, &v))
	return v
}

func unpack(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	require.NoError(t, err)
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		require.NoError(t, err)
		files[h.Name], err = io.ReadAll(r)
		require.NoError(t, err)
	}
}
