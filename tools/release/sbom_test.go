package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Characters with a meaning in an address are escaped in the addresses of a module.
func TestModuleAddresses(t *testing.T) {
	m := module("github.com/Masterminds/semver~a+b", "v3.0.0-RC.1+incompatible", noAssertion)
	require.Equal(t, "https://proxy.golang.org/github.com/!masterminds/semver~a+b/@v/v3.0.0-!r!c.1+incompatible.zip", m.Location)
	require.Equal(t, "pkg:golang/github.com/masterminds/semver~a%2Bb@v3.0.0-RC.1%2Bincompatible", m.External[0].Locator)
}
