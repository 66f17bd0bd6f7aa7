package main

import (
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// user is the user of the programs, unless a Pod sets another. It is a number, because runAsNonRoot cannot tell from a name whether it is
// root.
const user = 65532

// Pods may run an image as any user, so directories that a program writes are writable for all. Nobody can replace root's files in such a
// directory, because it is sticky.
const (
	forAll       = 0o1777
	programMode  = 0o755
	documentMode = 0o644
)

// component describes one image.
type component struct {
	name        string // name of the image, and of its working directory
	description string
	programs    []program
	copies      []copied
	writable    []string // directories that everybody may write, beside the working directory
}

// copied is a file of the sources.
type copied struct {
	source, name string
	mode         int64
}

// components list the contents of the images. Published manifests rely on the directories, on ./start.sh, and on the configuration beside
// it, over which they copy another one.
var components = []component{
	{
		name:        "frameworkcontroller",
		description: "Runs Frameworks: applications of many Pods on Kubernetes",
		programs: []program{
			{source: "./cmd/controller", output: "frameworkcontroller"},
			{source: "./plugins/...", output: "plugins/"},
		},
		copies: []copied{
			{source: "cmd/controller/start.sh", name: "start.sh", mode: programMode},
			{source: "example/config/default/frameworkcontroller.yaml", name: "frameworkcontroller.yaml", mode: 0o666},
		},
	},
	{
		name:        "frameworkbarrier",
		description: "Waits until all Tasks of a Framework have an address, and tells them to the Task",
		programs:    []program{{source: "./cmd/barrier", output: "frameworkbarrier"}},
		copies:      []copied{{source: "cmd/barrier/start.sh", name: "start.sh", mode: programMode}},
		writable:    []string{"mnt/frameworkbarrier"},
	},
	{
		name:        "frameworkhistory",
		description: "Keeps the history of Frameworks, and answers queries about it",
		programs:    []program{{source: "./cmd/history", output: "history"}},
		copies:      []copied{{source: "cmd/history/start.sh", name: "start.sh", mode: programMode}},
		writable:    []string{"data"},
	},
}

// directory is where the component works.
func (c component) directory() string { return "opt/frameworkcontroller/" + c.name }

// directories returns the directories that users other than root have to write.
func (c component) directories() []file {
	dirs := []file{{path: c.directory(), mode: forAll | dirMode}}
	for _, path := range c.writable {
		dirs = append(dirs, file{path: path, mode: forAll | dirMode})
	}
	return dirs
}

// files returns the files of the component's directory; the programs have been built into the directory built.
func (c component) files(root, built string) ([]file, error) {
	var files []file
	for _, copied := range c.copies {
		body, err := os.ReadFile(filepath.Join(root, copied.source))
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: c.directory() + "/" + copied.name, mode: copied.mode, body: body})
	}
	err := filepath.WalkDir(built, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(built, path)
		files = append(files, file{path: c.directory() + "/" + name, mode: programMode, body: body})
		return err
	})
	return files, err
}

// config is how the image is run.
func (c component) config(arch, version string, shell busybox) *v1.ConfigFile {
	return &v1.ConfigFile{
		Architecture: arch,
		OS:           "linux",
		Config: v1.Config{
			User:       numericUser(),
			WorkingDir: "/" + c.directory(),
			Entrypoint: []string{"./start.sh"},
			Env:        []string{"PATH=/bin"},
			Labels: map[string]string{
				"org.opencontainers.image.title":       c.name,
				"org.opencontainers.image.description": c.description,
				"org.opencontainers.image.version":     version,
				"org.opencontainers.image.licenses":    "MIT AND GPL-2.0-only",
				"busybox.version":                      shell.version,
				"busybox.sha256":                       shell.sha256(),
				"busybox.source":                       shell.source,
			},
		},
	}
}
