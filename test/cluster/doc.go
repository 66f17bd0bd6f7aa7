// Package cluster runs a real Kubernetes control plane on this machine, with simulated nodes, for tests and demos.
//
// It promises that the cluster listens on loopback only, that any number of clusters can run side by side (from one checkout or several),
// and that a cluster does not outlive its owner: when the process that called Start ends, for whatever reason, every process and file of
// the cluster is removed, too. Containers do not run: a simulated Pod becomes Running, and ends if and as its annotations say (see
// stages.yaml). A test that needs to run a container needs a real node.
//
//	c, err := cluster.Start(ctx, cluster.Options{Nodes: 10})
//	if err != nil { ... }
//	defer c.Stop()
//	client, err := kubernetes.NewForConfig(c.Config)
//
// The programs (API server, etcd, kwok and so on) are put into bin/tools when they are missing or the version pinned by the Go
// modules under tools/ has changed. There are three ways, each for the programs that the previous one lacks: installed programs are copied
// (athand.go), published ones are fetched (fetch.go), and the rest is built from those modules (build.go), which takes some minutes.
// Programs that only some tests need, such as other schedulers, are provided on request: see Tool.
//
// How a cluster ends: its folder, under bin/clusters, holds a file that the owner keeps locked. A small shell script (reap.sh) waits for
// that lock, and the system gives it up when the owner exits, crashes or is killed. The script then kills every process that carries the
// cluster's mark in its environment, and removes the folder. Stop just unlocks the file and waits for the script. Should the script itself
// be killed, or the machine go down, the next Start in the same checkout finds the folder unowned and does the same. It needs Linux: it
// reads /proc.
package cluster
