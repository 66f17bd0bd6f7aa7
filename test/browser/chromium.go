package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/frameworkcontroller/frameworkcontroller/test/debian"
)

// chromium is a program and what its environment needs.
type chromium struct {
	path        string
	environment map[string]string
}

// findChromium finds that of this machine. If there is none, it downloads Debian's if run as root, as tests on a node do for their programs.
func findChromium() (c chromium, err error) {
	for _, name := range []string{"chromium", "chromium-browser"} {
		if path, err := exec.LookPath(name); err == nil {
			return chromium{path: path}, nil
		}
	}
	if os.Getuid() != 0 {
		return c, errors.New("there is no Chromium: apt-get install chromium, or run this test as root on Debian")
	}
	return unpackedChromium("../../bin/tools/chromium")
}

// unpackedChromium is Debian's Chromium with its libraries and a font, which find each other in a folder.
func unpackedChromium(dir string) (c chromium, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return c, err
	}
	if err := debian.UnpackAll(dir, "chromium", "fonts-dejavu-core"); err != nil {
		return c, fmt.Errorf("there is no Chromium: %w", err)
	}
	return chromium{
		// Not usr/bin/chromium, which is a script that looks for the program at the root.
		path: filepath.Join(dir, "usr/lib/chromium/chromium"),
		environment: map[string]string{
			"LD_LIBRARY_PATH":    debian.LibraryPath(dir, "pulseaudio"),
			"FONTCONFIG_SYSROOT": dir,
		},
	}, nil
}
