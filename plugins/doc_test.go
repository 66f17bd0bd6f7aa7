// Package plugins tests the shipped plugins together: that their binaries answer through the host as the built-in rules do,
// that what they decide is pure, and that README.md describes each.
package plugins
