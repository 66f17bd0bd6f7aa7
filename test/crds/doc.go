// Package crds has the CRDs of other systems, for tests: the ones that they publish in their Go modules, and the ones that their generator
// creates from the types there. The modules are under tools/, which pins the versions. Nothing of them is part of this project.
package crds
