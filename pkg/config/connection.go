package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Connection says how to reach the API server (contract 9.2).
type Connection struct {
	// Path of a kubeconfig file; empty for none.
	Kubeconfig string
	// http[s]://host:port, which takes precedence over the server in Kubeconfig; empty for none.
	Address string
}

// InCluster reports whether nothing is given, so that the Pod's own service account is used.
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

// Environment is what the choice of the API server depends on besides the file. Neither may be nil.
type Environment struct {
	// The value of an environment variable, empty if it is not set, such as os.Getenv.
	Getenv func(name string) string
	// Whether there is a file, such as FileExists.
	Exists func(path string) bool
}

// FileExists reports whether something is at path.
func FileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Connection chooses the API server: what the file says, otherwise the environment. A key that is set to an
// empty text keeps the environment out.
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
	// The original silently goes on and may then talk to another cluster than the user means.
	if strings.ContainsRune(path, filepath.ListSeparator) {
		return "", fmt.Errorf("KUBECONFIG: %q is a list of files, only a single one is supported: "+
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
