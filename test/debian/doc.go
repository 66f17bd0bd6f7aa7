// Package debian gets programs that tests use from Debian's archive. They are not installed, which could start services and
// would stay, but unpacked into a folder.
package debian
