// Package restore restores an earlier state of a real etcd while controllers run, as an administrator does after a disaster. The versions
// of objects go back, and everything since the backup is undone. The controllers have to notice it by themselves, and to bring each
// Framework to its right end from its stored state.
//
// pkg/controller has the same test with a simulated API server, in which more can be checked.
package restore
