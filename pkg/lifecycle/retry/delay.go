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

// delaySec is what the plugin that has judged the failure says; otherwise what the policy says, and at least the pause after
// Pods that never ran.
func (c Case) delaySec(row *Row) int64 {
	switch advice := c.Ended.Advice; {
	case row.AtOnce:
		return 0
	case row.Conflict && c.Conflict != nil:
		return max(c.Conflict.draw(), 0)
	case advice != nil && advice.DelaySec != nil:
		return max(int64(*advice.DelaySec), 0)
	}
	return max(backoffSec(c.Policy.Backoff, c.Counters.TotalRetriedCount), c.PauseSec, 0)
}

func (d *ConflictDelay) draw() int64 {
	if d.MaxSec <= d.MinSec {
		return d.MinSec
	}
	sum := sha256.Sum256(append(append(d.Seed[:len(d.Seed):len(d.Seed)], 0), "conflict delay"...))
	return d.MinSec + int64(binary.BigEndian.Uint64(sum[:8])%uint64(d.MaxSec-d.MinSec+1))
}

// backoffSec is the delay, in seconds, before the retry that follows that number of others: it doubles each
// time, up to the maximum. The first one is never cut: with the CRD's defaults, a maximum that was left out looks
// like one of 300. Without a backoff it is 0 (decisions, W26).
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
