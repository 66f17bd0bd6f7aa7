package config

import (
	"fmt"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// PluginSpec is an entry of plugins. The keys are documented in pluginhost.Config.
type PluginSpec struct {
	Name    string            `yaml:"name"`
	Kind    string            `yaml:"kind"`
	Command string            `yaml:"command"`
	Args    []string          `yaml:"args,omitempty"`
	Env     map[string]string `yaml:"env,omitempty"`
	// SHA-256 by path, empty for any.
	Files  map[string]string `yaml:"files,omitempty"`
	SHA256 string            `yaml:"sha256,omitempty"`
	// Nil means the default.
	Timeout *Timeout `yaml:"timeout,omitempty"`
	// Nil means the default.
	MemoryLimit   *Bytes     `yaml:"memoryLimit,omitempty"`
	FailurePolicy string     `yaml:"failurePolicy,omitempty"`
	Shadow        bool       `yaml:"shadow,omitempty"`
	Parameters    Parameters `yaml:"parameters,omitempty"`
	// Nil leaves the choice to the plugin.
	FrameworkParameters parameterKeys `yaml:"frameworkParameters,omitempty"`
}

// parameterKeys are names of parameters. An empty list differs from no list.
type parameterKeys []string

// IsZero implements yaml.IsZeroer.
func (k parameterKeys) IsZero() bool { return k == nil }

// Plugins returns the plugins of PluginSpecs in their order of precedence.
func (c *Config) Plugins() []pluginhost.Config {
	var plugins []pluginhost.Config
	for _, s := range c.PluginSpecs {
		plugins = append(plugins, s.plugin())
	}
	return plugins
}

func (s PluginSpec) plugin() pluginhost.Config {
	p := pluginhost.Config{
		Name: s.Name, Kind: plugin.Kind(s.Kind), Command: s.Command, Args: s.Args, Env: s.Env, Files: s.Files, SHA256: s.SHA256,
		FailurePolicy: pluginhost.FailurePolicy(s.FailurePolicy), Parameters: s.Parameters,
		FrameworkParameters: s.FrameworkParameters, Shadow: s.Shadow,
	}
	if s.Timeout != nil {
		p.Timeout = time.Duration(*s.Timeout)
	}
	if s.MemoryLimit != nil {
		p.MemoryLimit = int64(*s.MemoryLimit)
	}
	return p
}

func (c *Config) pluginMistakes() mistakes {
	found := mistakes(pluginhost.Validate("plugins", c.Plugins()))
	for i, s := range c.PluginSpecs {
		// The host reads 0 as the default, but a user who writes 0 means something else.
		if s.Timeout != nil && *s.Timeout == 0 {
			found = append(found, fmt.Sprintf("plugins[%d].timeout: must be above 0; the default is %s", i, pluginhost.DefaultTimeout))
		}
		if s.MemoryLimit != nil && *s.MemoryLimit == 0 {
			found = append(found, fmt.Sprintf("plugins[%d].memoryLimit: must be above 0; the default is %s", i, Bytes(pluginhost.DefaultMemoryLimit)))
		}
	}
	return found
}

// Timeout is a duration with its unit, such as 500ms; a whole number without a unit counts seconds, as everywhere in
// the file.
type Timeout time.Duration

// UnmarshalYAML implements yaml.Unmarshaler.
func (t *Timeout) UnmarshalYAML(n *yaml.Node) error {
	if n.ShortTag() == "!!int" {
		var s Seconds
		if err := n.Decode(&s); err != nil {
			return err
		}
		*t = Timeout(s.Duration())
		return nil
	}
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		return wrongTypeError(n, "config.Timeout")
	}
	*t = Timeout(d)
	return nil
}

// MarshalYAML implements yaml.Marshaler.
func (t Timeout) MarshalYAML() (any, error) { return time.Duration(t).String(), nil }

// wrongTypeError imitates the decoder's error; see explain.go.
func wrongTypeError(n *yaml.Node, goType string) error {
	value := ""
	if n.Kind == yaml.ScalarNode {
		value = fmt.Sprintf(" `%s`", n.Value)
	}
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: cannot unmarshal %s%s into %s", n.Line, n.ShortTag(), value, goType)}}
}
