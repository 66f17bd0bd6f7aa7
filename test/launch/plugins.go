package launch

import (
	"errors"
	"strings"
)

// WithPlugins adds plugins, items of the list in YAML, to a configuration that has such a list. They are asked before the others.
func WithPlugins(config, items string) (string, error) {
	const list = "\nplugins:\n"
	before, after, found := strings.Cut(config, list)
	if !found {
		return "", errors.New("the configuration has no list of plugins to add to")
	}
	return before + list + strings.TrimSpace(items) + "\n" + after, nil
}
