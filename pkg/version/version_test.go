package version

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A build from a checkout does not claim to be a release.
func TestBuildFromACheckout(t *testing.T) {
	require.Equal(t, "dev", Number())
	require.Regexp(t, regexp.MustCompile(`^frameworkcontroller dev \(commit (unknown|[0-9a-f]{40}), go1\.\S+, \w+/\w+\)$`), Line("frameworkcontroller"))
}

// The values set by the linker take precedence.
func TestBuildOfARelease(t *testing.T) {
	number, commit = "v1.2.3", "0123abc"
	defer func() { number, commit = "", "" }()
	require.Equal(t, "v1.2.3", Number())
	require.Regexp(t, `^kubectl-framework v1\.2\.3 \(commit 0123abc, `, Line("kubectl-framework"))
}
