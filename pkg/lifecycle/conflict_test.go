package lifecycle_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// All delays after a conflict are equally likely, including no delay.
func TestConflictDelayIsUniform(t *testing.T) {
	spec := roles(1)
	spec.RetryPolicy.FancyRetryPolicy = true
	state, _ := running(t, spec)
	status := state.Status()
	status.State = v1.AttemptDeleting
	status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{CompletionStatus: completion.Predefined(completion.CodeContainerTransientConflictFailed, "")}
	ending, err := lifecycle.Load(status)
	require.NoError(t, err)
	in := inputOf(ending, spec)
	in.Config.ConflictRetryDelayMinSec, in.Config.ConflictRetryDelayMaxSec = 0, 3
	in.Observed.ConfigMap.Gone = "cm"
	waited := map[time.Duration]int{}
	for seed := range uint64(1000) {
		waited[untilRetried(t, in, seed)]++
	}
	for delay := range time.Duration(4) {
		if n := waited[delay*time.Second]; n < 200 || n > 300 {
			t.Errorf("%d of 1000 wait for %d s", n, delay)
		}
	}
}

// untilRetried takes rounds, each with a seed of its own, until the Framework's next attempt begins.
func untilRetried(t *testing.T, in lifecycle.Input, seed uint64) time.Duration {
	t.Helper()
	begin := in.Now
	for n := range uint64(10) {
		binary.BigEndian.PutUint64(in.Seed[:], seed)
		binary.BigEndian.PutUint64(in.Seed[8:], n)
		out := lifecycle.Step(in)
		if in.Saved = out.State; in.Saved.Framework().AttemptStatus.ID > 0 {
			return in.Now.Sub(begin)
		}
		if !out.WakeAt.IsZero() {
			in.Now = out.WakeAt
		}
	}
	t.Fatal("it is not retried")
	return 0
}
