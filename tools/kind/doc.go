// Package kind tests kind.sh, the recipe for a cluster of kind with the controller on it, with stand-ins for docker, kind and
// helm.
package kind
