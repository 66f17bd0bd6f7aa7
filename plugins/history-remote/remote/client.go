package remote

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// client sends records to the server.
type client struct {
	spec       spec
	connection *connection
	log        hclog.Logger
}

func newRemote(s spec, log hclog.Logger) *client {
	c := &connection{caFile: s.CAFile}
	if s.plain {
		c.caFile = "" // no certificate is asked for
	}
	return &client{s, c, log}
}

// send returns the records that are not settled: not stored by the server, nor refused for good. The error is an *awayError,
// beside which other records may be settled. A refused request is halved until only the records that the server refuses are
// left, so that the others are not lost with them.
func (c *client) send(ctx context.Context, records []*pluginpb.Record) (left []*pluginpb.Record, err error) {
	if len(records) == 0 {
		return nil, nil
	}
	stored, err := c.post(ctx, records)
	var refused *refusedError
	switch {
	case !errors.As(err, &refused):
		return without(records, stored), err
	case len(records) == 1:
		r := records[0]
		c.log.Error("the server refuses a record for good, and it is dropped", "reason", refused.message,
			"key", r.GetKey(), "namespace", r.GetFramework().GetNamespace(), "framework", r.GetFramework().GetName())
		return nil, nil
	}
	half := len(records) / 2
	left, err = c.send(ctx, records[:half])
	if err != nil {
		return slices.Concat(left, records[half:]), err
	}
	rest, err := c.send(ctx, records[half:])
	return slices.Concat(left, rest), err
}

func without(records []*pluginpb.Record, keys []string) []*pluginpb.Record {
	settled := make(map[string]bool, len(keys))
	for _, key := range keys {
		settled[key] = true
	}
	var left []*pluginpb.Record
	for _, r := range records {
		if !settled[r.GetKey()] {
			left = append(left, r)
		}
	}
	return left
}

func keysOf(records []*pluginpb.Record) []string {
	keys := make([]string, len(records))
	for i, r := range records {
		keys[i] = r.GetKey()
	}
	return keys
}

// settled returns the keys of the records that are not left.
func settled(records, left []*pluginpb.Record) []string {
	return keysOf(without(records, keysOf(left)))
}
