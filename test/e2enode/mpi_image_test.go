package e2enode

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/frameworkcontroller/frameworkcontroller/test/debian"
	"github.com/frameworkcontroller/frameworkcontroller/test/node"
)

const (
	mpiImage   = "frameworkcontroller.test/mpi:1"
	mpiRoot    = "../../bin/tools/mpi"
	mpiArchive = mpiRoot + ".tar"
)

// mpiPackages have Open MPI and a program that measures it, ssh and sshd, and the programs that scripts call.
var mpiPackages = []string{"openmpi-bin", "netpipe-openmpi", "openssh-client", "openssh-server", "base-files", "bash", "coreutils", "dash", "hostname"}

// mpiFiles are files that the scripts of the packages would have written.
var mpiFiles = map[string]string{
	"etc/passwd": "root:*:0:0:root:/root:/bin/bash\nsshd:*:100:65534:sshd:/run/sshd:/usr/sbin/nologin\nuser:*:1000:1000:user:/home/user:/bin/bash\n",
	"etc/group":  "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n",
}

// buildMPIImage needs the machine's network, unless it has been built before.
func buildMPIImage() error {
	if err := debian.UnpackAll(mpiRoot, mpiPackages...); err != nil {
		return err
	}
	for name, text := range mpiFiles {
		if err := os.WriteFile(filepath.Join(mpiRoot, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(mpiRoot, "home/user"), 0o755); err != nil {
		return err
	}
	err := os.Symlink("mpirun.openmpi", filepath.Join(mpiRoot, "usr/bin/mpirun"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return node.Image{Name: mpiImage, Root: mpiRoot, Command: []string{"bash"}}.Write(mpiArchive)
}
