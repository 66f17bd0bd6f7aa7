// Package plugins tests the shipped plugins together: through the host, their binaries answer as the built-in rules do; their decisions are
// pure; and README.md describes each.
package plugins
