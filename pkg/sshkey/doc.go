// Package sshkey creates the key pair with which the Pods of a Framework reach each other by ssh.
//
// It promises that each pair is new, and in the file formats of OpenSSH. Storing it is left to the caller.
//
//	keys, err := sshkey.New("the Framework demo")
package sshkey
