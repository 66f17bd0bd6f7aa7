package pluginhost

import (
	"context"
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/answers"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Store sends records to a HistorySink, in their order and in as many requests as the limits of the contract call for. It
// returns the keys that the sink has acknowledged, never nil, also beside an error: a *Fault, or ctx's. The first fault ends
// it, except that a record that is too large for any request does not hold up the others. The caller must not change the
// records before it returns.
func (h *Host) Store(ctx context.Context, name string, records []*pluginpb.Record) (stored map[string]bool, _ Source, err error) {
	stored = map[string]bool{}
	var source Source
	var tooLarge error
	for request := range requestsOf(records) {
		if size := proto.Size(request); size > plugin.MaxMessage {
			c, _ := h.Config(name)
			tooLarge = c.tooLarge(size)
			continue
		}
		answer, from, err := h.storeOnce(ctx, name, request)
		if err != nil {
			return stored, source, err
		}
		source = from
		for _, key := range answer.GetKeys() {
			stored[key] = true
		}
	}
	return stored, source, tooLarge
}

func (h *Host) storeOnce(ctx context.Context, name string, q *pluginpb.StoreRequest) (*pluginpb.StoreResponse, Source, error) {
	return ask(ctx, h, name, plugin.KindHistorySink, call[*pluginpb.StoreRequest, *pluginpb.StoreResponse]{
		method: "Store", question: q, owner: nobody, check: answers.CheckStored,
		do: func(ctx context.Context, v *permit) (*pluginpb.StoreResponse, error) {
			known, unknown := v.child.knownKinds(q.GetRecords())
			if len(known) == 0 && len(unknown) > 0 {
				return &pluginpb.StoreResponse{Keys: unknown}, nil
			}
			answer, err := pluginpb.NewHistorySinkClient(v.child.conn).Store(ctx, &pluginpb.StoreRequest{Records: known})
			if err == nil && len(unknown) > 0 {
				answer.Keys = append(answer.Keys, unknown...)
			}
			return answer, err
		},
	})
}

// The minor versions of the contract from which a sink gets records of a kind.
const (
	presenceMinor = 4
	shadowMinor   = 5
)

// knownKinds separates the keys of records of a kind that was added after the plugin was built. A sink may drop such a record after it has
// acknowledged it, so the keys count as acknowledged. The plugin does not get these records: a list is about no Framework, which it may rely
// on, and it has no use for verdicts in shadow.
func (ch *child) knownKinds(records []*pluginpb.Record) (known []*pluginpb.Record, unknown []string) {
	for _, r := range records {
		if r.GetPresence() != nil && ch.minor < presenceMinor || r.GetShadowVerdict() != nil && ch.minor < shadowMinor {
			unknown = append(unknown, r.GetKey())
		} else {
			known = append(known, r)
		}
	}
	return known, unknown
}

// requestsOf splits records into requests within the limits of the contract. A record that is too large for any is in a
// request of its own. If several records have the same key, only the first is sent.
func requestsOf(records []*pluginpb.Record) iter.Seq[*pluginpb.StoreRequest] {
	return func(yield func(*pluginpb.StoreRequest) bool) {
		seen := make(map[string]bool, len(records))
		next, size := &pluginpb.StoreRequest{}, 0
		for _, r := range records {
			if seen[r.GetKey()] {
				continue
			}
			seen[r.GetKey()] = true
			more := sizeInRequest(r)
			if n := len(next.Records); n > 0 && (n == plugin.MaxRecords || size+more > plugin.MaxMessage) {
				if !yield(next) {
					return
				}
				next, size = &pluginpb.StoreRequest{}, 0
			}
			next.Records, size = append(next.Records, r), size+more
		}
		if len(next.Records) > 0 {
			yield(next)
		}
	}
}

// sizeInRequest is the number of bytes that a record adds to a request.
func sizeInRequest(r *pluginpb.Record) int {
	const field = 1 // StoreRequest.records
	return protowire.SizeTag(field) + protowire.SizeBytes(proto.Size(r))
}
