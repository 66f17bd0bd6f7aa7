package main

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// newImage makes an OCI image of one layer for each list of files, the first one at the bottom.
func newImage(config *v1.ConfigFile, layers ...[]file) (v1.Image, error) {
	config.Created = v1.Time{Time: epoch}
	config.RootFS.Type = "layers"
	image, err := mutate.ConfigFile(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		types.OCIConfigJSON), config)
	if err != nil {
		return nil, err
	}
	for _, files := range layers {
		layer, err := newLayer(files)
		if err != nil {
			return nil, err
		}
		image, err = mutate.Append(image, mutate.Addendum{
			Layer:     layer,
			MediaType: types.OCILayer,
			History:   v1.History{Created: v1.Time{Time: epoch}, CreatedBy: "tools/images"},
		})
		if err != nil {
			return nil, err
		}
	}
	return image, nil
}
