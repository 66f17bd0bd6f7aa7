package main

import "testing"

func TestParseVersion(t *testing.T) {
	for _, text := range []string{"v1.0.0", "v0.10.2", "v1.2.3-rc.1", "v1.0.0-alpha"} {
		if v, err := parseVersion(text); err != nil || v.String() != text || "v"+v.number() != text {
			t.Errorf("%s: got %s, %v", text, v, err)
		}
	}
	for _, text := range []string{"", "1.0.0", "v1.0", "v01.0.0", "v1.0.0+build", "v1.0.0-", "v1.0.0-01", "latest", "v1.0.0 ", "../v1.0.0"} {
		if v, err := parseVersion(text); err == nil {
			t.Errorf("%q is taken as %s", text, v)
		}
	}
}

func TestRequirePlatforms(t *testing.T) {
	if err := requirePlatforms(allPlatforms); err != nil {
		t.Error(err)
	}
	for _, p := range []string{"linux", "plan9/amd64", "linux/mips"} {
		if err := requirePlatforms([]string{p}); err == nil {
			t.Errorf("%s is taken", p)
		}
	}
}
