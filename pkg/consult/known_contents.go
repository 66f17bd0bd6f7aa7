package consult

import (
	"reflect"
	"sync"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

const (
	// knownFor is the time for which an acknowledged object is not sent to the sink again. After that time, a history whose storage was
	// replaced has all objects again.
	knownFor = 10 * time.Minute
	// mostKnown limits the objects that are remembered for a sink. Beyond it, all are forgotten, and sent again.
	mostKnown = 4096
)

// knownContents remembers the objects that sinks hold, because thousands of Pods have equal ones. The zero value knows nothing. It is safe for
// concurrent use.
type knownContents struct {
	mu    sync.Mutex
	sinks map[string]*knownSink
}

type knownSink struct {
	config pluginhost.Config // another one may lead to another storage
	until  map[string]time.Time
}

// unknown returns the records without the objects that the sink holds.
func (k *knownContents) unknown(sink pluginhost.Config, records []*pluginpb.Record, now time.Time) []*pluginpb.Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.sinks[sink.Name]
	if s == nil || !reflect.DeepEqual(s.config, sink) {
		return records
	}
	out := make([]*pluginpb.Record, 0, len(records))
	for _, r := range records {
		if o := r.GetObject(); o == nil || !now.Before(s.until[r.GetKey()]) {
			out = append(out, r)
		}
	}
	return out
}

// learn remembers the objects among records that the sink has stored.
func (k *knownContents) learn(sink pluginhost.Config, records []*pluginpb.Record, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.sinks[sink.Name]
	if s == nil || !reflect.DeepEqual(s.config, sink) {
		if k.sinks == nil {
			k.sinks = map[string]*knownSink{}
		}
		s = &knownSink{config: sink, until: map[string]time.Time{}}
		k.sinks[sink.Name] = s
	}
	for _, r := range records {
		if r.GetObject() == nil {
			continue
		}
		if len(s.until) >= mostKnown {
			clear(s.until)
		}
		s.until[r.GetKey()] = now.Add(knownFor)
	}
}
