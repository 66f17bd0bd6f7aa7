// Package install tests the ways to install the controller: with Helm, with one file, and with kustomize. They install the
// same, the API server takes all of it, and Frameworks live through upgrades, and through an uninstall. What is installed may
// do is tested in test/rbac. The first run builds Helm and an API server, and takes some minutes; -short skips it all.
package install
