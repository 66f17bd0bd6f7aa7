package node

import (
	"os"
	"path/filepath"

	"github.com/frameworkcontroller/frameworkcontroller/test/debian"
)

// programs is a folder into which Debian packages are unpacked.
type programs struct {
	dir      string
	packages []string
}

// programsIn returns the programs of a node, in the folder for all tools.
func programsIn(tools string) programs {
	return programs{filepath.Join(tools, "node"), []string{"containerd", "runc", "containernetworking-plugins"}}
}

// busyboxIn returns the programs for the image of busybox.
func busyboxIn(tools string) programs {
	return programs{filepath.Join(tools, "busybox"), []string{"busybox-static"}}
}

func (p programs) path(name string) string { return filepath.Join(p.dir, name) }

// searchPath is the environment variable by which the programs find each other.
func (p programs) searchPath() string {
	return "PATH=" + p.path("usr/bin") + ":" + p.path("usr/sbin") + ":" + os.Getenv("PATH")
}

func (p programs) unpacked() bool { return debian.Unpacked(p.dir) }

func (p programs) unpack() error { return debian.Unpack(p.dir, p.packages...) }
