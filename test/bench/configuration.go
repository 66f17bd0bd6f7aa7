package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// defaultConfiguration is the shipped configuration of the controller.
var defaultConfiguration = filepath.Join("example", "config", "default", "frameworkcontroller.yaml")

// withoutPlugins returns a configuration that differs only in that.
func withoutPlugins(c *config.Config) *config.Config {
	plain := *c
	plain.PluginSpecs = nil
	return &plain
}

// forCluster returns the text of a configuration file for the cluster of a kubeconfig file. It leaves out the defaults, as an
// earlier build of the controller does not know the keys of today.
func forCluster(c *config.Config, kubeconfig string) (string, error) {
	own := *c
	own.KubeConfigFilePath = &kubeconfig
	var all, defaults map[string]any
	if err := errors.Join(yaml.Unmarshal([]byte(own.String()), &all), yaml.Unmarshal([]byte(config.Default().String()), &defaults)); err != nil {
		return "", err
	}
	maps.DeleteFunc(all, func(key string, value any) bool { return reflect.DeepEqual(value, defaults[key]) })
	text, err := yaml.Marshal(all)
	return string(text), err
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
