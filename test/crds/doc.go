// Package crds has the CRDs of other systems, for tests: those that they publish in their Go modules, and those that their
// generator makes of the types in there. The modules are under tools/, which says the versions. Nothing of them is part of this
// project.
package crds
