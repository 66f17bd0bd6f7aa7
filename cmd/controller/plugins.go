package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/metrics"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// lookAtConfiguration is how often the configuration file is looked at for changed plugins. A ConfigMap that is mounted
// changes without a signal.
const lookAtConfiguration = 5 * time.Second

// plugins are the processes that the configuration wants, and the file that may want others.
type plugins struct {
	host   *pluginhost.Host
	file   *config.File
	config *config.Config // that is in effect, but for its plugins
	// The completion policies that are in effect.
	policies []pluginhost.Config
	log      hclog.Logger

	hangups <-chan os.Signal
	changed func()
}

// startPlugins runs the configured plugins, and follows changes of the configuration file, or does so when hangups says,
// until stop is called. It calls changed when there are other completion policies than before, or another process answers
// for one.
func startPlugins(file *config.File, c *config.Config, m *metrics.Set, hangups <-chan os.Signal, changed func(), log hclog.Logger) (host *pluginhost.Host, stop func()) {
	log = log.Named("plugins")
	health := &healthLog{log, map[string]pluginhost.Health{}}
	processes := map[string]int{} // by plugin
	onChange := func(h pluginhost.Health) {
		health.tell(h)
		if replacesPolicy(h, processes) {
			changed()
		}
	}
	host = pluginhost.New(pluginhost.Options{Log: log, OnChange: onChange, OnCall: m.PluginCalled})
	all := pluginsOf(c, c.PodFailureSpec)
	host.Reload(all)
	p := &plugins{host: host, file: file, config: c, policies: policiesOf(all), log: log, hangups: hangups, changed: changed}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.follow(ctx)
	}()
	return host, func() {
		cancel()
		<-done
		host.Stop()
	}
}

// replacesPolicy reports whether another process than before answers for a completion policy, and notes which.
func replacesPolicy(h pluginhost.Health, processes map[string]int) bool {
	if h.Kind != plugin.KindCompletionPolicy || h.State != pluginhost.Ready || processes[h.Name] == h.PID {
		return false
	}
	processes[h.Name] = h.PID
	return true
}

// policiesOf are the completion policies among plugins.
func policiesOf(all []pluginhost.Config) []pluginhost.Config {
	return slices.DeleteFunc(slices.Clone(all), func(c pluginhost.Config) bool { return c.Kind != plugin.KindCompletionPolicy })
}

// pluginsOf are the configured plugins. The one that judges by podFailureSpec gets the rules that are in effect, unless it
// has its own.
func pluginsOf(c *config.Config, inEffect []completion.RuleSpec) []pluginhost.Config {
	const key = "podFailureSpec"
	all := c.Plugins()
	for i := range all {
		if _, own := all[i].Parameters[key]; own || filepath.Base(all[i].Command) != "classifier-podpattern" {
			continue
		}
		rules, err := podverdict.Parameters(inEffect)
		if err != nil {
			continue // only if the rules have what JSON has not, and then they did not compile
		}
		parameters := maps.Clone(all[i].Parameters)
		if parameters == nil {
			parameters = map[string]any{}
		}
		parameters[key] = rules[key]
		all[i].Parameters = parameters
	}
	return all
}

// healthLog tells of the health of plugins, and the same only once.
type healthLog struct {
	log  hclog.Logger
	told map[string]pluginhost.Health // what was told last, by plugin, reduced to what makes a difference
}

// tell is never called twice at the same time.
func (l *healthLog) tell(h pluginhost.Health) {
	news := pluginhost.Health{State: h.State, Version: h.Version, PID: h.PID, Replacement: h.Replacement}
	if l.told[h.Name] == news {
		return
	}
	l.told[h.Name] = news
	fields := []any{"plugin", h.Name, "state", h.State, "version", h.Version, "pid", h.PID, "restarts", h.Restarts}
	if h.LastFault != nil && h.State != pluginhost.Ready {
		fields = append(fields, "fault", h.LastFault.Error())
	}
	if h.Replacement != "" {
		fields = append(fields, "replacement", h.Replacement)
	}
	switch h.State {
	case pluginhost.Failing, pluginhost.CircuitOpen, pluginhost.Refused:
		l.log.Warn("plugin", fields...)
	default:
		l.log.Info("plugin", fields...)
	}
}

// follow reloads the plugins on SIGHUP, and when the file has changed.
func (p *plugins) follow(ctx context.Context) {
	looks := time.NewTicker(lookAtConfiguration)
	defer looks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.hangups:
			p.reload()
		case <-looks.C:
			if p.file.Changed() {
				p.reload()
			}
		}
	}
}

// reload reads the file again. A bad one changes nothing.
func (p *plugins) reload() {
	next, err := p.file.Load()
	if err != nil {
		p.log.Error("the changed configuration is not used", "error", err)
		return
	}
	if keys := config.ChangedKeys(p.config, next); len(keys) > 0 {
		p.log.Warn("of a changed configuration only plugins take effect; restart for the others", "keys", strings.Join(keys, ", "))
	}
	all := pluginsOf(next, p.config.PodFailureSpec)
	p.host.Reload(all)
	if policies := policiesOf(all); !reflect.DeepEqual(policies, p.policies) {
		p.policies = policies
		p.changed()
	}
	p.log.Info("plugins reloaded", "configured", len(next.Plugins()))
}
