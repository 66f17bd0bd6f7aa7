package pluginhost

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func benchHost(b *testing.B) *Host {
	h := New(Options{})
	b.Cleanup(h.Stop)
	h.Reload([]Config{config("p", "sdk")})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := h.AwaitReady(ctx, "p"); err != nil {
		b.Fatal(err)
	}
	return h
}

// BenchmarkRoundTrip is one question after the other.
func BenchmarkRoundTrip(b *testing.B) {
	h := benchHost(b)
	for n := 0; b.Loop(); n++ {
		if _, _, err := h.Classify(context.Background(), "p", []*pluginpb.FailedPod{pod(n, "")}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMany is questions of 200 workers.
func BenchmarkMany(b *testing.B) {
	h := benchHost(b)
	b.SetParallelism(100)
	var next atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, _, err := h.Classify(context.Background(), "p", []*pluginpb.FailedPod{pod(int(next.Add(1)), "")}); err != nil {
				b.Error(err)
			}
		}
	})
}
