package crash

import (
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// startProcess starts a controller with its default configuration. An empty kubeconfig is replaced by one for that server, which asks for
// no credentials.
func startProcess(dir, server, kubeconfig string) (*launch.Process, error) {
	if kubeconfig == "" {
		kubeconfig = filepath.Join(dir, "kubeconfig")
		if err := clientcmd.WriteToFile(kubeconfigOf(server), kubeconfig); err != nil {
			return nil, err
		}
	}
	return launch.Controller(kube, launch.Options{
		Binary: binary, Dir: dir, Config: shortDelays + withSink(), Args: []string{"-v=4"}, Env: []string{"KUBECONFIG=" + kubeconfig},
	})
}

const shortDelays = "objectLocalCacheCreationTimeoutSec: 60\n"

func kubeconfigOf(server string) clientcmdapi.Config {
	return clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"proxy": {Server: server}},
		Contexts:       map[string]*clientcmdapi.Context{"proxy": {Cluster: "proxy"}},
		CurrentContext: "proxy",
	}
}
