// Package clustertest is shared by the packages whose tests run on a cluster of their own: it starts the cluster and stops it, builds the
// programs under test, and reads the audit log of the API server and the log of a controller.
package clustertest
