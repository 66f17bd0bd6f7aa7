// Package kubeclient is the history server's client for the Kubernetes API: Pods and their logs, reviews of tokens and of access, and
// ConfigMaps. It returns errors as client-go does, so k8s.io/apimachinery/pkg/api/errors tells them apart.
//
// A clientset of client-go has the types of every API group. They would be two fifths of the server's program, and kernels map much of a
// program into memory, so the server would not keep within the memory that it promises.
//
//	client, err := kubeclient.New(config)
//	pod, err := client.Pod(ctx, "prod", "train-worker-0")
package kubeclient
