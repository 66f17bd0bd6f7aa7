// Package rbac tests the installation from deploy/ on a real API server: the manifests are accepted, the controller may do what it needs
// and nothing else, and users have the documented permissions. The first run builds an API server and takes some minutes; -short skips all
// tests.
package rbac
