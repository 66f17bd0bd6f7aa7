package config

import "fmt"

// limit is what a key has to fulfil.
type limit struct {
	ok    bool
	key   string
	value any
	wants string
	// What the key gets if it is left out.
	otherwise any
}

func (l limit) mistake() string {
	return fmt.Sprintf("%s: has to be %s, but is %v; without the key it is %v", l.key, l.wants, l.value, l.otherwise)
}

func (c *Config) outOfRange() mistakes {
	var found mistakes
	for _, l := range append(c.limits(), c.rateLimits()...) {
		if !l.ok {
			found = append(found, l.mistake())
		}
	}
	return found
}

// maxWorkers is far more than helps. Each worker takes memory before it does anything, so a number with some zeros too
// many would use up the machine's.
const maxWorkers = 10000

func (c *Config) limits() []limit {
	d := Default()
	interval, timeout := c.CRDEstablishedCheckIntervalSec, c.CRDEstablishedCheckTimeoutSec
	cache, retain := c.ObjectLocalCacheCreationTimeoutSec, c.FrameworkCompletedRetainSec
	low, high := c.FrameworkMinRetryDelaySecForTransientConflictFailed, c.FrameworkMaxRetryDelaySecForTransientConflictFailed
	return []limit{
		{1 <= c.WorkerNumber && c.WorkerNumber <= maxWorkers, "workerNumber", c.WorkerNumber,
			fmt.Sprintf("from 1 to %d", maxWorkers), d.WorkerNumber},
		memoryLimit("frameworkMemoryLimit", c.FrameworkMemoryLimit, d.FrameworkMemoryLimit),
		memoryLimit("namespaceMemoryLimit", c.NamespaceMemoryLimit, d.NamespaceMemoryLimit),
		{interval >= 1, "crdEstablishedCheckIntervalSec", interval, "at least 1", d.CRDEstablishedCheckIntervalSec},
		{timeout >= 10, "crdEstablishedCheckTimeoutSec", timeout, "at least 10", d.CRDEstablishedCheckTimeoutSec},
		{cache >= 60, "objectLocalCacheCreationTimeoutSec", cache, "at least 60", d.ObjectLocalCacheCreationTimeoutSec},
		{retain >= 0, "frameworkCompletedRetainSec", retain, "at least 0", d.FrameworkCompletedRetainSec},
		{low >= 0, "frameworkMinRetryDelaySecForTransientConflictFailed", low, "at least 0",
			d.FrameworkMinRetryDelaySecForTransientConflictFailed},
		{high >= low, "frameworkMaxRetryDelaySecForTransientConflictFailed", high,
			fmt.Sprintf("at least frameworkMinRetryDelaySecForTransientConflictFailed, which is %d", low),
			d.FrameworkMaxRetryDelaySecForTransientConflictFailed},
	}
}

// memoryLimit is at least what a small Framework takes: with less, which is mostly a unit forgotten, nothing would ever run.
func memoryLimit(key string, value, otherwise Bytes) limit {
	return limit{value == 0 || value >= 1<<20, key, value, "0, which means no limit, or at least 1Mi", otherwise}
}

func (c *Config) rateLimits() []limit {
	if c.KubeClientQPS == nil || c.KubeClientBurst == nil {
		return nil
	}
	qps, burst := *c.KubeClientQPS, *c.KubeClientBurst
	const none = "without limit if kubeClientQps and kubeClientBurst are both left out"
	return []limit{
		{0 < qps && qps <= 10000, "kubeClientQps", qps, "above 0 and at most 10000", none},
		{0 <= burst && burst <= 10000, "kubeClientBurst", burst, "from 0 to 10000", none},
	}
}
