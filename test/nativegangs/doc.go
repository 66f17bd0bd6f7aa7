// Package nativegangs tests hints-workload against what it is for: Kubernetes' own gang scheduling, in a cluster
// that has it. The controller and the plugins run as the programs that they are.
package nativegangs
