package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

const someChangelog = `# Changelog

## [Unreleased]

## [1.1.0] - 2027-01-02

### Added

- A new field.

## [1.0.1]

- A fix.

## [1.0.0] - 2026-11-29

First.

[1.1.0]: https://example.com/v1.1.0
[1.0.0]: https://example.com/v1.0.0
`

func TestSection(t *testing.T) {
	tests := map[string]struct {
		version semver
		want    string
		fails   string
	}{
		"in the middle":   {version: "v1.1.0", want: "### Added\n\n- A new field."},
		"the oldest":      {version: "v1.0.0", want: "First."},
		"without a date":  {version: "v1.0.1", fails: "has no date: write ## [1.0.1] - YYYY-MM-DD"},
		"without section": {version: "v2.0.0", fails: "has no section of v2.0.0: write what has changed below ## [2.0.0]"},
		"a part of one":   {version: "v1.1.0-rc.1", fails: "has no section"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := section(someChangelog, tt.version)
			if tt.fails != "" {
				require.ErrorContains(t, err, tt.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

// The headings of CHANGELOG.md follow Keep a Changelog: unreleased changes, then the releases with their dates, newest first. Each has its
// link at the end of the file.
func TestOwnChangelog(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	all := headings.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, all)
	require.Equal(t, []string{"## [Unreleased]", "Unreleased", ""}, all[0])
	for i, heading := range all {
		require.Contains(t, string(text), "\n["+heading[1]+"]: "+repository+"/")
		if i == 0 {
			continue
		}
		v, err := parseVersion("v" + heading[1])
		require.NoError(t, err)
		_, err = section(string(text), v)
		require.NoError(t, err)
		if i > 1 && heading[2] > all[i-1][2] {
			t.Errorf("%s stands below %s", heading[0], all[i-1][0])
		}
	}
}
