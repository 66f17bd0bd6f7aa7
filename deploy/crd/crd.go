package crd

import _ "embed"

// Manifest is the CustomResourceDefinition in YAML. It is not to be changed.
//
//go:embed frameworks.yaml
var Manifest []byte
