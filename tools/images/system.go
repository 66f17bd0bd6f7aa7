package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// applets are the names by which busybox is called: the ones that manifests and scripts use, and a few to look around with. Any other
// applet is available as "busybox <applet>".
var applets = []string{"sh", "cat", "chmod", "cp", "dirname", "env", "id", "ls", "mkdir", "mv", "ps", "rm", "sleep"}

// bash is called by manifests to copy a configuration and start: bash -c "cp ... . && ./start.sh". Busybox has no applet of that name. Its
// sh replaces itself by the last command, so signals reach the program, as process 1.
const bash = "#!/bin/sh\nexec /bin/sh \"$@\"\n"

// gpl2 is the licence of busybox, which must accompany it.
//
//go:embed GPL-2.txt
var gpl2 []byte

// files returns the files that every image has beside its own programs.
func (b busybox) files() []file {
	files := []file{
		{path: "bin/busybox", mode: programMode, body: b.binary},
		{path: "bin/bash", mode: programMode, body: []byte(bash)},
		{path: "etc/passwd", mode: documentMode, body: []byte(passwd())},
		{path: "etc/group", mode: documentMode, body: []byte(group())},
		{path: "tmp", mode: forAll | dirMode},
		{path: "usr/share/doc/busybox/copyright", mode: documentMode, body: []byte(b.notice())},
		{path: "usr/share/doc/busybox/GPL-2", mode: documentMode, body: gpl2},
	}
	for _, name := range applets {
		files = append(files, file{path: "bin/" + name, mode: linkMode, link: "busybox"})
	}
	return files
}

func numericUser() string { return fmt.Sprintf("%d:%d", user, user) }

// passwd gives the user a home: the configuration is looked for in ~/.kube/config.
func passwd() string {
	return fmt.Sprintf("root:x:0:0:root:/root:/bin/sh\nframeworkcontroller:x:%d:%d::/tmp:/bin/sh\n", user, user)
}

func group() string {
	return fmt.Sprintf("root:x:0:\nframeworkcontroller:x:%d:\n", user)
}

// notice names the version of busybox, and where to get its source.
func (b busybox) notice() string {
	lines := []string{
		"This image has BusyBox in it, unmodified: /bin/busybox, version " + b.version + ".",
		"Its SHA-256 is " + b.sha256() + ".",
		"BusyBox is free software under the GNU General Public License, version 2; its text is in GPL-2 beside this file.",
		"Source: " + b.source + ".",
	}
	notice := strings.Join(lines, "\n") + "\n"
	if len(b.copyright) > 0 {
		notice += "\n" + string(b.copyright)
	}
	return notice
}
