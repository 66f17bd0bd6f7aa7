// Command images builds the container images of the controller, of the barrier and of the history server. It needs Go, and neither
// Docker nor root; it takes the shell of the images, a static busybox, from Debian's archive.
//
// It promises that the same sources, Go version and busybox give the same bytes. For each image it writes
//
//	<name>-amd64.tar, <name>-arm64.tar   for docker load, podman load, kind load image-archive, crane push,
//	                                     ctr --namespace k8s.io images import
//	<name>.tar                           all architectures in one OCI image layout, for ctr images import --all-platforms
//	                                     and skopeo copy --all oci-archive:<name>.tar docker://...
//
// where <name> is frameworkcontroller, frameworkbarrier or frameworkhistory. The images in them are called
// docker.io/frameworkcontroller/<name>:<version>, as in the manifests that people have; the name is spelt out, since
// containerd knows no short ones.
//
// The file contents.go lists the parts of an image, and archive.go writes it as a file that others can read.
//
//	go run . -version v1.2.3 -arch amd64,arm64 -out ../../bin/images
package main
