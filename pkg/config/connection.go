package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Connection describes how to reach the API server (contract 9.2).
type Connection struct {
	// Path of a kubeconfig file; empty for none.
	Kubeconfig string
	// http[s]://host:port, which takes precedence over the server in Kubeconfig; empty for none.
	Address string
}

// InCluster reports whether neither is given, so that the Pod's own service account is used.
func (c Connection) InCluster() bool {
	return c == Connection{}
}

// String describes c for logs and errors.
func (c Connection) String() string {
	switch {
	case c.InCluster():
		return "in-cluster"
	case c.Kubeconfig == "":
		return c.Address + " without credentials"
	case c.Address == "":
		return "kubeconfig " + c.Kubeconfig
	default:
		return c.Address + " with kubeconfig " + c.Kubeconfig
	}
}

// Environment is the input, besides the file, to the choice of the API server. Neither function may be nil.
type Environment struct {
	// Returns the value of an environment variable, empty if it is not set, such as os.Getenv.
	Getenv func(name string) string
	// Reports whether a file exists, such as FileExists.
	Exists func(path string) bool
}

// FileExists reports whether something exists at path.
func FileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Connection chooses the API server: from the file, otherwise from the environment. A key that is set to an empty text
// disables the environment.
func (c *Config) Connection(env Environment) (Connection, error) {
	kubeconfig, err := c.kubeconfig(env)
	if err != nil {
		return Connection{}, err
	}
	if c.KubeAPIServerAddress != nil {
		return Connection{kubeconfig, *c.KubeAPIServerAddress}, nil
	}
	return Connection{kubeconfig, env.Getenv("KUBE_APISERVER_ADDRESS")}, nil
}

func (c *Config) kubeconfig(env Environment) (string, error) {
	if c.KubeConfigFilePath != nil {
		return *c.KubeConfigFilePath, nil
	}
	path := env.Getenv("KUBECONFIG")
	if path != "" && env.Exists(path) {
		return path, nil
	}
	// The original silently continues, and may then talk to a cluster that the user did not mean.
	if strings.ContainsRune(path, filepath.ListSeparator) {
		return "", fmt.Errorf("KUBECONFIG: %q is a list of files, but only a single file is supported: "+
			"name one, or set kubeConfigFilePath in the configuration", path)
	}
	return homeKubeconfig(env), nil
}

func homeKubeconfig(env Environment) string {
	home := env.Getenv("HOME")
	if home == "" {
		return ""
	}
	if path := filepath.Join(home, ".kube", "config"); env.Exists(path) {
		return path
	}
	return ""
}
