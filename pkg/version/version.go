package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Package is the import path for the linker: -X Package.number=v1.0.0 -X Package.commit=0123abc.
const Package = "github.com/frameworkcontroller/frameworkcontroller/pkg/version"

// Both are empty in a build that names none.
var number, commit string

// development is the number of a build from a checkout.
const development = "dev"

// Number is the version, such as v1.0.0; "dev" for a build from a checkout.
func Number() string {
	if number != "" {
		return number
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return development
}

// Commit is the git commit of the sources; "unknown" if the build names none.
func Commit() string {
	if commit != "" {
		return commit
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}

// Line is a program's description of itself: its name, version, commit, Go version and platform.
func Line(program string) string {
	return fmt.Sprintf("%s %s (commit %s, %s, %s/%s)", program, Number(), Commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
