package nodewatch

import (
	"fmt"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// connect returns a client for the API server of a kubeconfig file or, without one, of the surrounding cluster.
func connect(kubeconfig string) (kubernetes.Interface, error) {
	config, err := configOf(kubeconfig)
	if err != nil {
		return nil, err
	}
	config.UserAgent = "frameworkcontroller/classifier-nodes"
	return kubernetes.NewForConfig(config)
}

func configOf(kubeconfig string) (*rest.Config, error) {
	if kubeconfig != "" {
		return clientcmd.BuildConfigFromFlags("", kubeconfig)
	}
	if err := defaultEnvironment(); err != nil {
		return nil, err
	}
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("without it the service account of the Pod is used: %w", err)
	}
	return config, nil
}

// defaultEnvironment sets the variables that name the API server in Pods. The controller gives its plugins only the
// environment of the configuration.
func defaultEnvironment() error {
	for name, value := range map[string]string{"KUBERNETES_SERVICE_HOST": "kubernetes.default.svc", "KUBERNETES_SERVICE_PORT": "443"} {
		if os.Getenv(name) != "" {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}
