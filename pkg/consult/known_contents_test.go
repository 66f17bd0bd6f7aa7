package consult

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

func TestKnownContents(t *testing.T) {
	object := func(key string) *pluginpb.Record {
		return &pluginpb.Record{Key: key, Content: &pluginpb.Record_Object{Object: &pluginpb.ObjectRecord{}}}
	}
	attempt := &pluginpb.Record{Key: "a", Content: &pluginpb.Record_TaskAttempt{}}
	all := []*pluginpb.Record{object("o"), attempt, object("p")}
	now := time.Now()
	sink := pluginhost.Config{Name: "s", Parameters: map[string]any{"url": "a"}}
	moved := pluginhost.Config{Name: "s", Parameters: map[string]any{"url": "b"}}
	for name, test := range map[string]struct {
		learn func(*knownContents)
		want  string
	}{
		"nothing is known":           {func(*knownContents) {}, "[o a p]"},
		"an object is held":          {func(k *knownContents) { k.learn(sink, all[:2], now) }, "[a p]"},
		"another sink holds it":      {func(k *knownContents) { k.learn(pluginhost.Config{Name: "t"}, all, now) }, "[o a p]"},
		"the sink was moved":         {func(k *knownContents) { k.learn(moved, all, now) }, "[o a p]"},
		"it is long since":           {func(k *knownContents) { k.learn(sink, all, now.Add(-knownFor)) }, "[o a p]"},
		"too many objects are known": {func(k *knownContents) { k.learn(sink, all[:1], now); learnMany(k, sink, now) }, "[o a p]"},
	} {
		var k knownContents
		test.learn(&k)
		var keys []string
		for _, r := range k.unknown(sink, all, now) {
			keys = append(keys, r.GetKey())
		}
		if got := fmt.Sprint(keys); got != test.want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func learnMany(k *knownContents, sink pluginhost.Config, now time.Time) {
	for i := range mostKnown {
		k.learn(sink, []*pluginpb.Record{{Key: fmt.Sprint(i), Content: &pluginpb.Record_Object{Object: &pluginpb.ObjectRecord{}}}}, now)
	}
}
