package main

import (
	"fmt"
	"regexp"
	"strings"
)

// semver is a Semantic Version with a v in front.
type semver string

// versions leaves out build metadata, since the tag of an image has no plus sign.
var versions = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-((0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?$`)

func parseVersion(text string) (semver, error) {
	if text == "" {
		return "", fmt.Errorf("name the version, such as make release VERSION=v1.0.0")
	}
	if !versions.MatchString(text) {
		return "", fmt.Errorf("VERSION %q is no Semantic Version such as v1.2.3 or v1.2.3-rc.1 (build metadata with + cannot be a tag of an image)", text)
	}
	return semver(text), nil
}

func (v semver) String() string { return string(v) }

// number is the version without the v, as charts and changelogs write it.
func (v semver) number() string { return strings.TrimPrefix(string(v), "v") }
