// Package rbac tests what is installed from deploy/ on a real API server: that the manifests are accepted, that the
// controller may do what it needs and nothing else, and what users may do. The first run builds an API server and takes
// some minutes; -short skips it all.
package rbac
