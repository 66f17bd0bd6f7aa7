package flowcontrol

import (
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"
)

// BenchmarkInProgress measures the cost of tracking a round under way.
func BenchmarkInProgress(b *testing.B) {
	var p InProgress[cache.ObjectName]
	key := cache.NewObjectName("default", "a")
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		p.Begin(key, now)
		p.End(key)
	}
}
