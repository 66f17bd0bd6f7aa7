// Package nativegangs tests hints-workload with Kubernetes' own gang scheduling, in clusters that have it: one of the oldest tested
// Kubernetes, and one of the newest, whose APIs differ; the same stories run on both. The controller and the plugins run as real programs.
package nativegangs
