package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// manifest is a file of deploy/ that a release has with its own image.
type manifest struct {
	file, image string
	about       string // the comment at its beginning
}

// madeBy is the comment at the beginning of a manifest in deploy/. It is for readers of a checkout.
var madeBy = regexp.MustCompile(`\A# Made by make manifests, from deploy/chart\.\n(?:#.*\n)*`)

const aboutInstall = "# FrameworkController %s: kubectl apply --server-side -f install.yaml\n"

const aboutHistory = `# The history server of FrameworkController %[1]s, for an installation without Helm:
# ` + repository + `/blob/%[1]s/docs/operations/install-history.md#without-helm
`

func (r *release) manifests() []manifest {
	return []manifest{
		{"install.yaml", "frameworkcontroller", fmt.Sprintf(aboutInstall, r.version)},
		{"history.yaml", "frameworkhistory", fmt.Sprintf(aboutHistory, r.version)},
	}
}

// writeManifests writes the manifests with the images of the release, and the CRD alone.
func (r *release) writeManifests(context.Context) error {
	for _, m := range r.manifests() {
		text, err := r.released(m)
		if err != nil {
			return fmt.Errorf("deploy/%s: %w", m.file, err)
		}
		if err := r.write(m.file, []byte(text)); err != nil {
			return err
		}
	}
	crd, err := os.ReadFile(filepath.Join(r.root, "deploy/crd/frameworks.yaml"))
	if err != nil {
		return err
	}
	return r.write("frameworks-crd.yaml", crd)
}

// released returns the text of a manifest with the image of the release.
func (r *release) released(m manifest) (string, error) {
	text, err := os.ReadFile(filepath.Join(r.root, "deploy", m.file))
	if err != nil {
		return "", err
	}
	made, err := replaceOnce(string(text), madeBy, m.about)
	if err != nil {
		return "", err
	}
	image := regexp.MustCompile(`(?m)image: frameworkcontroller/` + m.image + `:dev$`)
	return replaceOnce(made, image, "image: "+r.imageName(m.image)+":"+r.version.String())
}
