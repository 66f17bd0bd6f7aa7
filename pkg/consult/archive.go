package consult

import (
	"context"
	"errors"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// errNotStored means that a sink has answered without all keys.
var errNotStored = errors.New("it has not stored all records")

// NotStored is why a sink does not have some of the records that it was sent.
type NotStored struct {
	// Records is the number of records.
	Records int
	Cause   error
}

func (n *NotStored) Error() string { return n.Cause.Error() }

// Unwrap returns the cause.
func (n *NotStored) Unwrap() error { return n.Cause }

// Archives reports whether there is a sink for the history. It is cheap, and may be called at any time.
func (p *Panel) Archives() bool { return p != nil && len(p.host.Plugins(plugin.KindHistorySink)) > 0 }

// Archive sends the records to every sink. The plugins that the Framework chooses do not matter, because the history belongs to the
// operator. Objects that a sink already holds are not sent again. Records that a sink does not store in time are dropped and reported
// to skipped as a *NotStored. If the failure policy of the sink is Wait, the error is a *Waiting instead, and the caller has to send all
// records again.
func (p *Panel) Archive(ctx context.Context, records []*pluginpb.Record, skipped Skipped) error {
	if p == nil {
		return nil
	}
	for _, name := range p.host.Plugins(plugin.KindHistorySink) {
		config, known := p.host.Config(name)
		if !known {
			continue // removed meanwhile
		}
		sent := p.contents.unknown(config, records, time.Now())
		stored, _, err := p.host.Store(ctx, name, sent)
		missing := missing(sent, stored)
		if err == nil && missing > 0 {
			err = errNotStored
		}
		switch {
		case err == nil:
			p.contents.learn(config, sent, time.Now())
		case config.Policy(false) == pluginhost.Wait:
			return &Waiting{name, err}
		default:
			skipped(name, &NotStored{missing, err})
		}
	}
	return nil
}

// missing returns the number of keys that are not stored.
func missing(sent []*pluginpb.Record, stored map[string]bool) int {
	keys := map[string]bool{}
	for _, r := range sent {
		if !stored[r.GetKey()] {
			keys[r.GetKey()] = true
		}
	}
	return len(keys)
}
