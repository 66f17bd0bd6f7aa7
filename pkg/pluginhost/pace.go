package pluginhost

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// firstPods is the maximum number of Pods in the first calls of a classifier.
const firstPods = 16

// pace is the maximum number of Pods in a call, chosen so that a plugin that is slow, or handles calls one after the other, can answer all
// of them in time. It is learnt as a TCP connection learns the capacity of a network. A slow call with a single Pod does not help to find
// the right number.
type pace struct {
	most int
}

func newPace() pace { return pace{firstPods} }

// observe takes the duration of a call and its timeout into account.
func (p *pace) observe(pods int, took, timeout time.Duration) {
	switch {
	case took > timeout/2 && pods > 1:
		p.most = max(1, min(p.most, pods/4)) // calls that were slow together count once
	case took > timeout/2 || pods < p.most:
	case took < timeout/8:
		p.most = min(2*p.most, plugin.MaxBatch)
	default:
		p.most = min(p.most+1, plugin.MaxBatch)
	}
}

// observe adjusts the next calls to the duration of this one.
func (b *batcher) observe(pods int, took, timeout time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pace.observe(pods, took, timeout)
}
