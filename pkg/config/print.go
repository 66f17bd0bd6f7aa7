package config

import "gopkg.in/yaml.v3"

// String returns the effective configuration as a file that would give it, for the log.
func (c *Config) String() string {
	text, err := yaml.Marshal(c)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
