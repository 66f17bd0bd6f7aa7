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

// lookEvery is the interval at which the file is checked. A mounted ConfigMap changes without a signal.
const lookEvery = 5 * time.Second

// Options are the inputs of Start. All but Hangups must be set.
type Options struct {
	File *config.File
	// Configuration in effect. If the file changes, only its plugins take effect.
	Config *config.Config
	// Each value causes the file to be read again; may be nil.
	Hangups <-chan os.Signal
	// Called when the set of completion policies changes, or a new process answers for one. Changes of processes never
	// call it concurrently with each other; a reload may call it meanwhile.
	PoliciesChanged func()
	// See pluginhost.Options.
	OnCall         func(pluginhost.Call)
	OnHintsChanged func(namespace, name string)
	Log            hclog.Logger
}

// Start runs the configured plugins, and follows changes of the configuration file, until stop is called. Stop returns
// once all plugins have ended.
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

// follower applies changes of the file to the plugins of a host.
type follower struct {
	o        Options
	host     *pluginhost.Host
	log      hclog.Logger
	policies []pluginhost.Config // in effect
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

// reload reads the file again. A bad file changes nothing.
func (f *follower) reload() {
	next, err := f.o.File.Load()
	if err != nil {
		f.log.Error("the changed configuration is invalid and not used", "error", err)
		return
	}
	if keys := config.ChangedKeys(f.o.Config, next); len(keys) > 0 {
		f.log.Warn("only changes of plugins take effect; restart the controller to apply the other keys", "keys", strings.Join(keys, ", "))
	}
	all := PluginsOf(next, f.o.Config.PodFailureSpec)
	f.host.Reload(all)
	if policies := policiesOf(all); !reflect.DeepEqual(policies, f.policies) {
		f.policies = policies
		f.o.PoliciesChanged()
	}
	f.log.Info("plugins reloaded", "configured", len(next.Plugins()))
}
