package retry

import (
	"crypto/sha256"
	"encoding/binary"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// ConflictDelay bounds the delay before a retry that follows a conflict, both bounds included. The same seed draws the same delay.
type ConflictDelay struct {
	Seed           [16]byte
	MinSec, MaxSec int64
}

// delaySec is the delay drawn for a conflict, named by the plugin that has judged the failure, or given by the policy's backoff.
// The pause after Pods that never ran is the minimum of each, as a node that refuses Pods refuses the next one whatever the
// advice.
func (c Case) delaySec(row *Row) int64 {
	if row.AtOnce {
		return 0
	}
	return max(c.chosenDelaySec(row), c.PauseSec, 0)
}

func (c Case) chosenDelaySec(row *Row) int64 {
	switch advice := c.Ended.Advice; {
	case row.Conflict && c.Conflict != nil:
		return c.Conflict.draw()
	case advice != nil && advice.DelaySec != nil:
		return int64(*advice.DelaySec)
	}
	return backoffSec(c.Policy.Backoff, c.Counters.TotalRetriedCount)
}

func (d *ConflictDelay) draw() int64 {
	if d.MaxSec <= d.MinSec {
		return d.MinSec
	}
	sum := sha256.Sum256(append(append(d.Seed[:len(d.Seed):len(d.Seed)], 0), "conflict delay"...))
	return d.MinSec + int64(binary.BigEndian.Uint64(sum[:8])%uint64(d.MaxSec-d.MinSec+1))
}

// backoffSec is the delay, in seconds, before the retry that follows the given number of earlier ones: it doubles each time, up
// to the maximum. The first one is never cut: with the CRD's defaults, an omitted maximum looks like one of 300. Without a
// backoff it is 0 (decisions, W26).
func backoffSec(backoff *v1.RetryBackoffSpec, retries int32) int64 {
	if backoff == nil {
		return 0
	}
	delay := int64(backoff.InitialDelaySec)
	most := max(int64(backoff.MaxDelaySec), delay)
	for ; retries > 0 && delay > 0 && delay < most; retries-- {
		delay *= 2
	}
	return min(delay, most)
}
