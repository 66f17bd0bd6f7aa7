package kubectl

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginreload"
)

// startPlugin returns a host that runs only this program, as configured. The caller has to stop it. A program that does not
// start is not retried: the caller waits for the reason.
func startPlugin(ctx context.Context, program string, c *config.Config) (*pluginhost.Host, error) {
	entry, err := pluginEntry(program, c)
	if err != nil {
		return nil, err
	}
	if mistakes := pluginhost.Validate("plugins", []pluginhost.Config{entry}); len(mistakes) > 0 {
		return nil, fmt.Errorf("--plugin %s: %s", program, strings.Join(mistakes, "; "))
	}
	starting, giveUp := context.WithCancel(ctx)
	defer giveUp()
	host := pluginhost.New(pluginhost.Options{OnChange: func(h pluginhost.Health) {
		if h.State == pluginhost.Failing {
			giveUp()
		}
	}})
	host.Reload([]pluginhost.Config{entry})
	if err := host.AwaitReady(starting, entry.Name); err != nil {
		if fault := host.Health()[0].LastFault; fault != nil {
			err = fault
		}
		host.Stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("plugin %s cannot be asked: %w", entry.Name, err)
	}
	return host, nil
}

// pluginEntry returns the entry of a program in the configuration, found by its file name. Without an entry it gets the
// defaults of a controller.
func pluginEntry(program string, c *config.Config) (pluginhost.Config, error) {
	path, err := filepath.Abs(program)
	if err != nil {
		return pluginhost.Config{}, err
	}
	var found []config.PluginSpec
	for _, s := range c.PluginSpecs {
		if filepath.Base(s.Command) == filepath.Base(program) {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		found = []config.PluginSpec{{Name: nameOf(program), Kind: string(plugin.KindFailureClassifier)}}
	}
	switch {
	case len(found) > 1:
		return pluginhost.Config{}, fmt.Errorf("--plugin %s: the file has %d plugins with this program: keep one", program, len(found))
	case found[0].Kind != string(plugin.KindFailureClassifier):
		return pluginhost.Config{}, fmt.Errorf("--plugin %s: its kind in the file is %s, but only a %s can be tried on failures", program, found[0].Kind, plugin.KindFailureClassifier)
	}
	found[0].Command = path
	only := *c
	only.PluginSpecs = found
	return pluginreload.PluginsOf(&only, c.PodFailureSpec)[0], nil
}

// isOtherClassifier reports whether a plugin may judge differently from the rules. Podpattern is the rules.
func isOtherClassifier(p pluginhost.Config) bool {
	return p.Kind == plugin.KindFailureClassifier && filepath.Base(p.Command) != podverdict.Command
}

// nameOf derives the name of a plugin without an entry.
func nameOf(program string) string {
	base := filepath.Base(program)
	return cmp.Or(strings.TrimPrefix(strings.TrimSuffix(base, filepath.Ext(base)), "classifier-"), base)
}
