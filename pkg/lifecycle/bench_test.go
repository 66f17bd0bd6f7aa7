package lifecycle_test

import (
	"fmt"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// BenchmarkStepPartial is the usual round: a single Pod has changed. The cost is to follow that change, plus one copy of a slice
// of pointers.
func BenchmarkStepPartial(b *testing.B) {
	forSizes(b, func(b *testing.B, in lifecycle.Input) {
		ref := lifecycle.TaskRef{Role: "r0"}
		in.Observed.Pods = map[lifecycle.TaskRef]lifecycle.PodView{ref: in.Observed.Pods[ref]}
		in.Observed.Partial = true
		in.Observed.Pods[ref].Pod.IP = "10.0.0.2"
		for b.Loop() {
			if lifecycle.Step(in).State == in.Saved {
				b.Fatal("nothing changed")
			}
		}
	})
}

// BenchmarkStepFull looks at every Task, and finds nothing to do.
func BenchmarkStepFull(b *testing.B) {
	forSizes(b, func(b *testing.B, in lifecycle.Input) {
		for b.Loop() {
			if lifecycle.Step(in).State != in.Saved {
				b.Fatal("something changed")
			}
		}
	})
}

// BenchmarkStepFirst gives a Framework its first status.
func BenchmarkStepFirst(b *testing.B) {
	forSizes(b, func(b *testing.B, in lifecycle.Input) {
		in.Saved, in.Observed = nil, lifecycle.Observed{}
		for b.Loop() {
			lifecycle.Step(in)
		}
	})
}

// BenchmarkStepEnd completes an attempt, and with it every Task.
func BenchmarkStepEnd(b *testing.B) {
	forSizes(b, func(b *testing.B, in lifecycle.Input) {
		in.Observed.ConfigMap.Gone = "cm"
		for b.Loop() {
			lifecycle.Step(in)
		}
	})
}

func forSizes(b *testing.B, run func(*testing.B, lifecycle.Input)) {
	for _, tasks := range []int32{1, 100, 10000} {
		b.Run(fmt.Sprintf("tasks=%d", tasks), func(b *testing.B) {
			spec := roles(tasks)
			state, observed := running(b, spec)
			in := inputOf(state, spec)
			in.Observed = observed
			b.ReportAllocs()
			run(b, in)
		})
	}
}
