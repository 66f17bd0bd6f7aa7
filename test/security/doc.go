// Package security checks docs/operations/security.md against a real API server: what the author of a Framework can make a controller do
// that has the permissions of deploy/ and no others, and what the controller reveals about others. The first run builds an API server and
// takes some minutes; -short skips all tests.
package security
