package main

import (
	"context"
	"fmt"
	"strings"
)

const krewHead = `# For krew, https://krew.sigs.k8s.io: kubectl krew install --manifest=framework.krew.yaml
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: framework
spec:
  version: %s
  homepage: %s
  shortDescription: Explain, watch and change Frameworks
  description: |
    Shows where a Framework of FrameworkController is, why it is there and what
    to do next: list, explain, tree, tasks, events, logs, wait and watch. Starts,
    stops, scales and deletes Frameworks, tries failure rules on failures of the
    past, and converts Volcano Jobs, JobSets and Kubeflow jobs into Frameworks.
  platforms:
`

const krewPlatform = `  - selector:
      matchLabels:
        os: %s
        arch: %s
    uri: %s
    sha256: %s
    bin: %s
`

// writeKrewManifest describes the archives of the plugin of kubectl for krew.
func (r *release) writeKrewManifest(context.Context) error {
	var out strings.Builder
	fmt.Fprintf(&out, krewHead, r.version, repository)
	for _, platform := range r.platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		archive := r.pluginArchive(platform)
		sum, err := r.sha256OfFile(archive)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, krewPlatform, goos, goarch, r.published(archive), sum, pluginBinary(platform))
	}
	return r.write("framework.krew.yaml", []byte(out.String()))
}

// published is the address of a file of the folder once it is published.
func (r *release) published(name string) string {
	return r.url + "/" + r.version.String() + "/" + name
}
