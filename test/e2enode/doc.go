// Package e2enode holds the tests that need containers to run: the images of the controller and of the barrier are
// installed as users install them, on a cluster with one real node (package node), and Frameworks of real Pods run.
// They hold what simulated nodes cannot show: that the images start, that the barrier reaches the API server and its
// files reach the app, what a kubelet and a container runtime report when Pods fail, and that all this fits together.
//
//	make e2e-node                                  all, in some minutes
//	go test ./test/e2enode -v -run TestOOM         one story
//
// Where the machine cannot run a node (see package node), it says why, and skips.
package e2enode
