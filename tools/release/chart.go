package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const chartName = "frameworkcontroller"

func (r *release) chartFile() string { return fmt.Sprintf("%s-%s.tgz", chartName, r.version.number()) }

// packageChart packs deploy/chart as helm package does, with the version of the release. Helm itself would take minutes to build; a test of
// the chart compares the results of both.
func (r *release) packageChart(context.Context) error {
	dir := filepath.Join(r.root, "deploy/chart")
	var files []file
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(path)
		if err == nil {
			body, err = r.ofChart(name, body)
		}
		files = append(files, file{chartName + "/" + filepath.ToSlash(name), 0o644, body})
		return err
	})
	if err != nil {
		return err
	}
	packed, err := tarGz(files, r.time)
	if err != nil {
		return err
	}
	return r.write(r.chartFile(), packed)
}

var (
	chartVersion = regexp.MustCompile(`(?m)^version: .*$`)
	appVersion   = regexp.MustCompile(`(?m)^(#.*\n)*appVersion: .*$`)
	chartImage   = regexp.MustCompile(`(?m)^  repository: frameworkcontroller/frameworkcontroller$`)
	historyImage = regexp.MustCompile(`(?m)^    repository: frameworkcontroller/frameworkhistory$`)
)

// ofChart is a file of the chart as released.
func (r *release) ofChart(name string, body []byte) ([]byte, error) {
	text, err := string(body), error(nil)
	switch name {
	case "Chart.yaml":
		if text, err = replaceOnce(text, chartVersion, "version: "+r.version.number()); err == nil {
			text, err = replaceOnce(text, appVersion, "appVersion: "+r.version.String())
		}
	case "values.yaml":
		if text, err = replaceOnce(text, chartImage, "  repository: "+r.imageName("frameworkcontroller")); err == nil {
			text, err = replaceOnce(text, historyImage, "    repository: "+r.imageName("frameworkhistory"))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("deploy/chart/%s: %w", name, err)
	}
	return []byte(text), nil
}

// imageName returns the name of an image as in manifests, which leave docker.io out.
func (r *release) imageName(name string) string {
	return strings.TrimPrefix(r.registry, "docker.io/") + "/" + name
}

// replaceOnce reports an error if the file no longer has the expected text exactly once.
func replaceOnce(text string, old *regexp.Regexp, fresh string) (string, error) {
	if n := len(old.FindAllStringIndex(text, -1)); n != 1 {
		return "", fmt.Errorf("%s is there %d times, and not once", old, n)
	}
	return old.ReplaceAllLiteralString(text, fresh), nil
}
