package pluginreload

import (
	"maps"
	"path/filepath"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// defaultParameter is one that a plugin takes over from another part of the configuration, unless its entry has it.
type defaultParameter struct {
	key   string
	value func(rules []completion.RuleSpec) (any, error)
}

// defaultParameters are, by the file name of their command, those of the plugins that come with the controller. A plugin
// of somebody else gets nothing: it might refuse what it does not know.
var defaultParameters = map[string]defaultParameter{
	podverdict.Command: {"podFailureSpec", rulesAsJSON},
}

func rulesAsJSON(rules []completion.RuleSpec) (any, error) {
	parameters, err := podverdict.Parameters(rules)
	return parameters["podFailureSpec"], err
}

// PluginsOf returns the configured plugins, with their default parameters by the rules that are in effect.
func PluginsOf(c *config.Config, inEffect []completion.RuleSpec) []pluginhost.Config {
	all := c.Plugins()
	for i := range all {
		if d, known := defaultParameters[filepath.Base(all[i].Command)]; known {
			all[i].Parameters = d.addTo(all[i].Parameters, inEffect)
		}
	}
	return all
}

// addTo returns the parameters with the default one, and leaves those of the configuration as they are.
func (d defaultParameter) addTo(parameters map[string]any, rules []completion.RuleSpec) map[string]any {
	if _, own := parameters[d.key]; own {
		return parameters
	}
	value, err := d.value(rules)
	if err != nil {
		return parameters // only if the rules have what JSON has not, and then they did not compile
	}
	all := map[string]any{d.key: value}
	maps.Copy(all, parameters)
	return all
}
