package answers

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// CheckStored returns the keys that a sink acknowledges, each once and in the order of the request. The error names a key
// that was not in the request.
func CheckStored(q *pluginpb.StoreRequest, a *pluginpb.StoreResponse) (*pluginpb.StoreResponse, error) {
	stored := make(map[string]bool, len(q.GetRecords()))
	for _, r := range q.GetRecords() {
		stored[r.GetKey()] = false
	}
	for _, key := range a.GetKeys() {
		if _, sent := stored[key]; !sent {
			return nil, fmt.Errorf("it acknowledges the key %q, which was not in the request", completion.Cut(key, 100))
		}
		stored[key] = true
	}
	checked := &pluginpb.StoreResponse{}
	for _, r := range q.GetRecords() {
		if stored[r.GetKey()] {
			stored[r.GetKey()] = false
			checked.Keys = append(checked.Keys, r.GetKey())
		}
	}
	return checked, nil
}
