package node

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// systemPrograms are part of any Debian. The kubelet calls mount; this package calls the others.
var systemPrograms = []string{"mount", "unshare", "ip", "find"}

// unmet returns what a node needs and this machine lacks, or nil. Debian's packages may be unpacked already.
func unmet(unpacked bool) error {
	if os.Geteuid() != 0 {
		return errors.New("it takes root")
	}
	names := systemPrograms
	if !unpacked {
		names = append(slices.Clone(names), "apt-get", "dpkg-deb")
	}
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return err
		}
	}
	if err := cgroupsWritable(); err != nil {
		return err
	}
	return namespacesAllowed()
}

func cgroupsWritable() error {
	g, err := makeCgroups()
	if err != nil {
		return fmt.Errorf("cgroups cannot be made: %w", err)
	}
	return g.remove()
}

// namespacesAllowed tries to make the namespaces and mounts of Isolate.
func namespacesAllowed() error {
	const attempt = `set -e
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
mkdir /run/upper /run/work
mount -t overlay -o lowerdir=/var/lib,upperdir=/run/upper,workdir=/run/work overlay /var/lib`
	cmd := exec.Command("unshare", "--pid", "--fork", "--net", "--ipc", "--mount", "sh", "-c", attempt)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("namespaces, or mounts in them, are refused: %w: %s", err, strings.TrimSpace(string(output)))
	}
	return nil
}
