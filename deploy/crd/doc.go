// Package crd holds the manifest of the Framework CustomResourceDefinition, so that the controller installs
// exactly what is shipped for kubectl.
//
// The manifest is generated from pkg/apis (make generate). It is small enough for a plain kubectl apply, which
// keeps a second copy of it in an annotation. The controller installs it by server-side apply with force, which
// takes the fields over from whoever installed another version, the original controller included:
//
//	crds.Patch(ctx, v1.CRDName, types.ApplyPatchType, crd.Manifest, metav1.PatchOptions{FieldManager: ..., Force: &yes})
package crd
