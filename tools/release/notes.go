package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// writeNotes writes the section of CHANGELOG.md for the version, how to install it, and the digests of its images.
func (r *release) writeNotes(context.Context) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# FrameworkController %s\n\n%s\n\n## Install\n\n", r.version, r.absoluteLinks())
	fmt.Fprintf(&out, "```sh\nhelm install frameworkcontroller %s --namespace frameworkcontroller --create-namespace\n", r.published(r.chartFile()))
	fmt.Fprintf(&out, "# or\nkubectl apply --server-side -f %s\n```\n", r.published("install.yaml"))
	if images := r.widest(); len(images) > 0 {
		out.WriteString("\n## Images\n\n| Image | Digest |\n|---|---|\n")
		for _, i := range images {
			fmt.Fprintf(&out, "| `%s` | `%s` |\n", i.Reference, i.Digest)
		}
		fmt.Fprintf(&out, "\nPin the controller's image with `--set image.digest=DIGEST`. `%s` has the checksums of all files.\n", checksums)
	}
	return r.write("release-notes.md", []byte(out.String()))
}

// absoluteLinks is the section of the changelog for readers who do not see it beside the pages that it links to.
func (r *release) absoluteLinks() string {
	return strings.ReplaceAll(r.notes, "](docs/", "]("+repository+"/blob/"+r.version.String()+"/docs/")
}

// headings of releases: ## [1.0.0] - 2026-11-29.
var headings = regexp.MustCompile(`(?m)^## \[([^\]]+)\](?: - (\S+))?[ \t]*$`)

var dates = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// section is the text below the heading of that version.
func section(changelog string, v semver) (string, error) {
	all := headings.FindAllStringSubmatchIndex(changelog, -1)
	for i, at := range all {
		if changelog[at[2]:at[3]] != v.number() {
			continue
		}
		if at[4] < 0 || !dates.MatchString(changelog[at[4]:at[5]]) {
			return "", fmt.Errorf("CHANGELOG.md: the section of %s has no date: write ## [%s] - YYYY-MM-DD", v, v.number())
		}
		end := len(changelog)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		text := strings.TrimSpace(withoutLinkTargets(changelog[at[1]:end]))
		if text == "" {
			return "", fmt.Errorf("CHANGELOG.md: the section of %s is empty", v)
		}
		return text, nil
	}
	return "", fmt.Errorf("CHANGELOG.md has no section of %s: write what has changed below ## [%s] - YYYY-MM-DD", v, v.number())
}

// linkTargets stand at the end of the file, and so below the oldest release.
var linkTargets = regexp.MustCompile(`(?m)^\[[^\]]+\]: \S+\n?`)

func withoutLinkTargets(text string) string { return linkTargets.ReplaceAllString(text, "") }
