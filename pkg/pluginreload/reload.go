package pluginreload

import (
	"context"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// lookEvery is how often the file is looked at. A ConfigMap that is mounted changes without a signal.
const lookEvery = 5 * time.Second

// Options are what Start needs. All but Hangups have to be set.
type Options struct {
	File *config.File
	// That is in effect. Of a changed file only the plugins take effect.
	Config *config.Config
	// Each value has the file read again; nil for none.
	Hangups <-chan os.Signal
	// Called when there are other completion policies than before, or another process answers for one. Not called twice at
	// the same time by changes of processes; a reload may call it meanwhile.
	PoliciesChanged func()
	// See pluginhost.Options.
	OnCall         func(pluginhost.Call)
	OnHintsChanged func(namespace, name string)
	Log            hclog.Logger
}

// Start runs the configured plugins, and follows changes of the configuration file, until stop is called. Stop returns
// when nothing is left of them.
func Start(o Options) (host *pluginhost.Host, stop func()) {
	log := o.Log.Named("plugins")
	health := &healthLog{log, map[string]pluginhost.Health{}}
	processes := map[string]int{} // by plugin
	onChange := func(h pluginhost.Health) {
		health.changed(h)
		if replacesPolicy(h, processes) {
			o.PoliciesChanged()
		}
	}
	host = pluginhost.New(pluginhost.Options{Log: log, OnChange: onChange, OnCall: o.OnCall, OnHintsChanged: o.OnHintsChanged})
	all := PluginsOf(o.Config, o.Config.PodFailureSpec)
	host.Reload(all)
	f := &follower{o: o, host: host, log: log, policies: policiesOf(all)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.follow(ctx)
	}()
	return host, func() {
		cancel()
		<-done
		host.Stop()
	}
}

// follower has the plugins of a host follow the file.
type follower struct {
	o        Options
	host     *pluginhost.Host
	log      hclog.Logger
	policies []pluginhost.Config // that are in effect
}

// follow reloads the plugins on SIGHUP, and when the file has changed.
func (f *follower) follow(ctx context.Context) {
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.o.Hangups:
			f.reload()
		case <-ticks.C:
			if f.o.File.Changed() {
				f.reload()
			}
		}
	}
}

// reload reads the file again. A bad one changes nothing.
func (f *follower) reload() {
	next, err := f.o.File.Load()
	if err != nil {
		f.log.Error("the changed configuration is not used", "error", err)
		return
	}
	if keys := config.ChangedKeys(f.o.Config, next); len(keys) > 0 {
		f.log.Warn("of a changed configuration only plugins take effect; restart for the others", "keys", strings.Join(keys, ", "))
	}
	all := PluginsOf(next, f.o.Config.PodFailureSpec)
	f.host.Reload(all)
	if policies := policiesOf(all); !reflect.DeepEqual(policies, f.policies) {
		f.policies = policies
		f.o.PoliciesChanged()
	}
	f.log.Info("plugins reloaded", "configured", len(next.Plugins()))
}
