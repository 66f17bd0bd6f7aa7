// Package nativegangs tests hints-workload against what it is for: Kubernetes' own gang scheduling, in clusters that have it.
// There is one of the oldest Kubernetes that is tested, and one of the newest, whose APIs are different; the same stories run
// on both. The controller and the plugins run as the programs that they are.
package nativegangs
