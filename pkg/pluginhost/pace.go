package pluginhost

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// firstPods is how many Pods the first calls of a classifier have at most.
const firstPods = 16

// pace is how many Pods a call may have. So a plugin that is slow, or takes calls one after the other, can answer all
// of them in time. It is learnt as a TCP connection learns what a network carries. A call with a single Pod that is
// slow says nothing about how many are too many.
type pace struct {
	most int
}

func newPace() pace { return pace{firstPods} }

// observe takes in how long a call took that may take so long.
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

// observe has the next calls go by how long this one took.
func (b *batcher) observe(pods int, took, timeout time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pace.observe(pods, took, timeout)
}
