// Package install tests the ways to install the controller: with Helm, with one file, and with kustomize. They install the same objects,
// the API server accepts all of them, and Frameworks survive upgrades and an uninstall. test/rbac tests the permissions of the
// installation. The first run builds Helm and an API server, and takes some minutes; -short skips all tests.
package install
