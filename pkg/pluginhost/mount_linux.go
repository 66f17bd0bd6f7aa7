package pluginhost

import "golang.org/x/sys/unix"

func onReadOnlyMount(path string) bool {
	var mount unix.Statfs_t
	return unix.Statfs(path, &mount) == nil && mount.Flags&unix.ST_RDONLY != 0
}
