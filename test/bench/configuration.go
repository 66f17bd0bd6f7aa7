package main

import (
	"fmt"
	"path/filepath"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// defaultConfiguration is the file that the controller comes with.
var defaultConfiguration = filepath.Join("example", "config", "default", "frameworkcontroller.yaml")

// withoutPlugins returns a configuration that differs only in that.
func withoutPlugins(c *config.Config) *config.Config {
	plain := *c
	plain.PluginSpecs = nil
	return &plain
}

// forCluster returns the text of a configuration file for the cluster of a kubeconfig file.
func forCluster(c *config.Config, kubeconfig string) string {
	own := *c
	own.KubeConfigFilePath = &kubeconfig
	return own.String()
}

// first returns the plugin of that kind that is asked first.
func first(c *config.Config, kind plugin.Kind) (pluginhost.Config, error) {
	for _, p := range c.Plugins() {
		if p.Kind == kind {
			return p, nil
		}
	}
	return pluginhost.Config{}, fmt.Errorf("%s has no %s among its plugins", defaultConfiguration, kind)
}
