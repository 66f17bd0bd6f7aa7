// Package sshkey makes the pair of keys with which the Pods of a Framework reach each other by ssh.
//
// It promises that each pair is new, and in the forms of the files that OpenSSH reads. Where they are kept is the caller's
// business.
//
//	keys, err := sshkey.New("the Framework demo")
package sshkey
