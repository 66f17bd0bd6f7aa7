// Package version knows which build a program is: the version and the commit that the linker wrote into it, or the ones
// of the module where `go install` built it.
package version
