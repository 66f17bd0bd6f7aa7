// Package node runs a real Kubernetes node on this machine, for tests that need containers to run, and for people (test/keepnode):
// containerd with runc, a kubelet, and CoreDNS for the names of the cluster, beside the control plane of package cluster.
//
// It promises to leave the machine as it found it. The test process runs once more in namespaces of its own (isolate.go): a network that
// leads nowhere, mounts that no other process sees, and processes that the kernel ends with the first of them, however that one ends. So
// there is no bridge, no address, no mount and no process to be cleaned up. Only empty cgroups are left; a small shell script (reap.sh)
// removes them when the test process has ended, even if it was killed. Kernel settings that a kubelet would change are hidden from it
// (mounts.go).
//
//	func TestMain(m *testing.M) {
//		os.Exit(node.Isolate(node.Isolation{Tools: "../../bin/tools", Prepare: build}, func() int {
//			kube, err := cluster.Start(ctx, node.ControlPlane())
//			...
//			defer kube.Stop()
//			n, err := node.Start(ctx, kube)
//			...
//			return m.Run()
//		}))
//	}
//
// It needs root on a Debian machine that permits namespaces, overlay mounts and cgroups (version 1 or 2). Otherwise Isolate reports what is
// missing, and skips the tests. containerd and runc are unpacked from Debian's packages, not installed (programs.go); kubelet and CoreDNS
// are built like the other programs of package cluster.
//
// The vocabulary: outside is the process that go test started, first is the first process in the namespaces, inside is the process that
// runs the tests.
package node
