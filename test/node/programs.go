package node

import (
	"os"
	"path/filepath"

	"github.com/frameworkcontroller/frameworkcontroller/test/debian"
)

// packages are the Debian packages that hold the programs of a node.
var packages = []string{"containerd", "runc", "containernetworking-plugins"}

// programs is the folder into which they are unpacked.
type programs string

// programsIn returns the folder in one for all tools.
func programsIn(tools string) programs { return programs(filepath.Join(tools, "node")) }

func (p programs) path(name string) string { return filepath.Join(string(p), name) }

// searchPath is the environment variable by which the programs find each other.
func (p programs) searchPath() string {
	return "PATH=" + p.path("usr/bin") + ":" + p.path("usr/sbin") + ":" + os.Getenv("PATH")
}

func (p programs) unpacked() bool { return debian.Unpacked(string(p)) }

func (p programs) unpack() error { return debian.Unpack(string(p), packages...) }
