package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// awaitPlugins returns once every configured plugin has a process.
func (p *controller) awaitPlugins(ctx context.Context) error {
	const most = 20 * time.Second
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("not done within %s", most))
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(context.Context) (bool, error) {
		pids, err := children(p.pid())
		return len(pids) == len(p.config.PluginSpecs), err
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("waiting for the plugins to start: %w", context.Cause(ctx))
	}
	return err
}

// pluginCPU is the processor time of all plugins. Each must run: otherwise the measurement would lack its work.
func (p *controller) pluginCPU() (sum float64, err error) {
	pids, err := children(p.pid())
	if err != nil {
		return 0, err
	}
	if want := len(p.config.PluginSpecs); len(pids) != want {
		return 0, fmt.Errorf("the controller has %d processes of plugins, not %d", len(pids), want)
	}
	for _, pid := range pids {
		used, err := processCPU(pid)
		if err != nil {
			return 0, err
		}
		sum += used
	}
	return sum, nil
}

// checkWhoDecided returns an error unless the configured completion policy has ended every Framework, or the built-in policy without one:
// otherwise the measurement would lack its work.
func (p *controller) checkWhoDecided(ctx context.Context, f *frameworks, all []*v1.Framework) error {
	want := "" // built in
	if policy, err := first(p.config, plugin.KindCompletionPolicy); err == nil {
		want = policy.Name
	}
	return each(ctx, all, func(ctx context.Context, one *v1.Framework) error {
		got, err := f.endedBy(ctx, one.Name)
		if err == nil && got != want {
			err = fmt.Errorf("plugin %q ended Framework %s, not %q", got, one.Name, want)
		}
		return err
	})
}

// endedBy returns the plugin that has ended the attempt of a Framework, empty for none.
func (f *frameworks) endedBy(ctx context.Context, name string) (string, error) {
	got, err := f.client.FrameworkControllerV1().Frameworks(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if got.Status == nil || got.Status.AttemptStatus.CompletionStatus == nil {
		return "", fmt.Errorf("attempt of Framework %s has not ended", name)
	}
	if source := got.Status.AttemptStatus.CompletionStatus.Source; source != nil {
		return source.Plugin, nil
	}
	return "", nil
}
