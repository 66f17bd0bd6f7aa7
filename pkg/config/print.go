package config

import (
	"maps"
	"slices"

	"gopkg.in/yaml.v3"
)

// String returns the effective configuration in the form of a file.
func (c *Config) String() string {
	text, err := yaml.Marshal(c)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Summary returns the values that distinguish configurations at a glance, in pairs for one line of a log.
func (c *Config) Summary() []any {
	names := make([]string, 0, len(c.PluginSpecs))
	for _, p := range c.PluginSpecs {
		names = append(names, p.Name)
	}
	return []any{"pod_failure_rules", len(c.PodFailureSpec), "plugins", names}
}

// Redacted is String for logs: without the plugins' environment, which may hold secrets.
func (c *Config) Redacted() string {
	without := *c
	without.PluginSpecs = slices.Clone(c.PluginSpecs)
	for i := range without.PluginSpecs {
		env := maps.Clone(without.PluginSpecs[i].Env)
		for name := range env {
			env[name] = "(not shown)"
		}
		without.PluginSpecs[i].Env = env
	}
	return without.String()
}
