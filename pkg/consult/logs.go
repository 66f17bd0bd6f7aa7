package consult

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// CollectsLogs reports whether a sink of the history keeps logs. It is cheap, and may be called at any time.
func (p *Panel) CollectsLogs() bool {
	return p != nil && slices.ContainsFunc(p.host.Plugins(plugin.KindHistorySink), p.host.CollectsLogs)
}

// CollectLogs asks all sinks that keep logs, at the same time. The plugins that the Framework chooses do not matter. CollectLogs returns
// when each sink has answered, or ctx has ended. The error joins the errors of all sinks.
func (p *Panel) CollectLogs(ctx context.Context, q *pluginpb.CollectLogsRequest) error {
	if p == nil {
		return nil
	}
	var asked sync.WaitGroup
	var mu sync.Mutex
	var failed []error
	for _, name := range p.host.Plugins(plugin.KindHistorySink) {
		if !p.host.CollectsLogs(name) {
			continue
		}
		asked.Go(func() {
			if err := p.collectLogs(ctx, name, q); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, err)
			}
		})
	}
	asked.Wait()
	return errors.Join(failed...)
}

// collectLogs asks one sink. It runs in a goroutine of its own, where nothing else recovers from a panic.
func (p *Panel) collectLogs(ctx context.Context, name string, q *pluginpb.CollectLogsRequest) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic while asking plugin %s: %v", name, cause)
		}
	}()
	return p.host.CollectLogs(ctx, name, q)
}
