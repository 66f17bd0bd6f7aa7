package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	buildversion "github.com/frameworkcontroller/frameworkcontroller/pkg/version"
)

var allPlatforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func requirePlatforms(platforms []string) error {
	for _, p := range platforms {
		if !slices.Contains(allPlatforms, p) {
			return fmt.Errorf("PLATFORMS: %q is not one of %s, or none", p, strings.Join(allPlatforms, ", "))
		}
	}
	return nil
}

// compile builds the plugin of kubectl, without the path of the checkout, its state in git and the machine's habits in it.
func (r *release) compile(ctx context.Context, platform, out string) error {
	goos, goarch, _ := strings.Cut(platform, "/")
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-ldflags",
		fmt.Sprintf("-s -w -X %[1]s.number=%[2]s -X %[1]s.commit=%[3]s", buildversion.Package, r.version, r.commit), "-o", out, "./cmd/kubectl-framework")
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
	_, err := output(cmd)
	return err
}

// buildPlugin writes an archive with kubectl-framework and the license for each platform.
func (r *release) buildPlugin(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	for _, platform := range r.platforms {
		out := filepath.Join(dir, "kubectl-framework")
		if err := r.compile(ctx, platform, out); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		binary, err := os.ReadFile(out)
		if err != nil {
			return err
		}
		if err := r.packPlugin(platform, binary, license); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	return nil
}

func (r *release) packPlugin(platform string, binary, license []byte) error {
	name := r.pluginArchive(platform)
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return err
	}
	r.programs = append(r.programs, program{artifact: name, name: "kubectl-framework", platform: platform, sha256: sha256Of(binary), info: info})
	files := []file{{pluginBinary(platform), 0o755, binary}, {"LICENSE", 0o644, license}}
	pack := tarGz
	if strings.HasSuffix(name, ".zip") {
		pack = zipped
	}
	packed, err := pack(files, r.time)
	if err != nil {
		return err
	}
	return r.write(name, packed)
}

func (r *release) pluginArchive(platform string) string {
	name := fmt.Sprintf("kubectl-framework-%s-%s", r.version, strings.ReplaceAll(platform, "/", "-"))
	if strings.HasPrefix(platform, "windows/") {
		return name + ".zip"
	}
	return name + ".tar.gz"
}

func pluginBinary(platform string) string {
	if strings.HasPrefix(platform, "windows/") {
		return "kubectl-framework.exe"
	}
	return "kubectl-framework"
}
