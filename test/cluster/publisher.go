package cluster

import "strings"

// publisher is a place where a project publishes its programs. In its path and member, VERSION, SYSTEM, ARCH and PROGRAM are replaced by
// the values of a program.
type publisher struct {
	name   string // its checksums are in tools/NAME-releases.sha256
	source string // the module whose programs it publishes
	base   string // a URL
	mirror string // environment variable that replaces the URL, or disables fetching
	path   string // path of a file below base
	member string // the program in that file; empty if the file is the program
}

var publishers = []publisher{
	{
		name:   "kubernetes",
		source: "k8s.io/kubernetes",
		base:   "https://dl.k8s.io",
		mirror: "KUBERNETES_RELEASES",
		path:   "VERSION/bin/SYSTEM/ARCH/PROGRAM",
	},
	{
		name:   "etcd",
		source: "go.etcd.io/etcd/server/v3",
		base:   "https://github.com/etcd-io/etcd/releases/download",
		mirror: "ETCD_RELEASES",
		path:   "VERSION/etcd-VERSION-SYSTEM-ARCH.tar.gz",
		member: "etcd-VERSION-SYSTEM-ARCH/etcd",
	},
}

// publisher returns the publisher of a tool; the zero publisher if there is none.
func (t tool) publisher() publisher {
	for _, p := range publishers {
		if p.source == t.source {
			return p
		}
	}
	return publisher{}
}

// published is the path of a tool below the URL of its publisher; empty if it is not published.
func (t tool) published(version, system, arch string) string {
	if system != "linux" || arch != "amd64" && arch != "arm64" {
		return ""
	}
	return t.expand(t.publisher().path, version, system, arch)
}

// member is the path of a tool in the published archive; empty if the program itself is published.
func (t tool) member(version, system, arch string) string {
	return t.expand(t.publisher().member, version, system, arch)
}

func (t tool) expand(path, version, system, arch string) string {
	return strings.NewReplacer("VERSION", version, "SYSTEM", system, "ARCH", arch, "PROGRAM", t.program()).Replace(path)
}
