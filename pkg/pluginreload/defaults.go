package pluginreload

import (
	"maps"
	"path/filepath"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// defaultParameter is a parameter that a plugin takes from another part of the configuration, unless its entry sets it.
type defaultParameter struct {
	key   string
	value func(rules []completion.RuleSpec) (any, error)
}

// defaultParameters are the default parameters of the plugins shipped with the controller, by the file name of their command.
// Other plugins get none: they might refuse unknown parameters.
var defaultParameters = map[string]defaultParameter{
	podverdict.Command: {"podFailureSpec", rulesAsJSON},
}

func rulesAsJSON(rules []completion.RuleSpec) (any, error) {
	parameters, err := podverdict.Parameters(rules)
	return parameters["podFailureSpec"], err
}

// PluginsOf returns the configured plugins, with default parameters taken from the rules in effect.
func PluginsOf(c *config.Config, inEffect []completion.RuleSpec) []pluginhost.Config {
	all := c.Plugins()
	for i := range all {
		if d, known := defaultParameters[filepath.Base(all[i].Command)]; known {
			all[i].Parameters = d.addTo(all[i].Parameters, inEffect)
		}
	}
	return all
}

// addTo returns the parameters with the default one added, and does not change the configuration's own.
func (d defaultParameter) addTo(parameters map[string]any, rules []completion.RuleSpec) map[string]any {
	if _, own := parameters[d.key]; own {
		return parameters
	}
	value, err := d.value(rules)
	if err != nil {
		return parameters // only if the rules have values that JSON lacks, and then they did not compile
	}
	all := map[string]any{d.key: value}
	maps.Copy(all, parameters)
	return all
}
