// Package restore puts an earlier state of a real etcd back while controllers run, as an administrator does after a disaster. The
// versions of objects go back, and what happened since the backup has not happened. The controllers have to notice it by
// themselves, and to bring each Framework to its right end from what is stored.
//
// pkg/controller has the same with a simulated API server, in which more can be looked at.
package restore
