// Package e2enode holds the tests that need containers to run: the images of the controller and of the barrier are installed as users
// install them, on a cluster with one real node (package node), and Frameworks of real Pods run. They cover everything that simulated nodes
// cannot show: that the images start, that the barrier reaches the API server and its files reach the app, the reports of a kubelet and a
// container runtime when Pods fail, that the files in volumes outlast a Pod, and that all this fits together.
//
//	make e2e-node                                  all, in some minutes
//	go test ./test/e2enode -v -run TestOOM         one story
//
// On a machine that cannot run a node (see package node), the tests are skipped, with the reason.
package e2enode
