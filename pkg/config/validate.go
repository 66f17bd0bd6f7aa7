package config

import "fmt"

// limit is a condition that a key must fulfil.
type limit struct {
	ok    bool
	key   string
	value any
	wants string
	// Value of the key if it is left out.
	otherwise any
}

func (l limit) mistake() string {
	return fmt.Sprintf("%s: must be %s, but is %v; the default is %v", l.key, l.wants, l.value, l.otherwise)
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

// maxWorkers is far more than helps. Each worker takes memory before it does anything, so a number with a few extra
// zeros would use up the machine's memory.
const maxWorkers = 10000

func (c *Config) limits() []limit {
	d := Default()
	interval, timeout := c.CRDEstablishedCheckIntervalSec, c.CRDEstablishedCheckTimeoutSec
	cache, retain := c.ObjectLocalCacheCreationTimeoutSec, c.FrameworkCompletedRetainSec
	low, high := c.FrameworkMinRetryDelaySecForTransientConflictFailed, c.FrameworkMaxRetryDelaySecForTransientConflictFailed
	return []limit{
		{1 <= c.WorkerNumber && c.WorkerNumber <= maxWorkers, "workerNumber", c.WorkerNumber,
			fmt.Sprintf("from 1 to %d", maxWorkers), d.WorkerNumber},
		bytesLimit("frameworkMemoryLimit", c.FrameworkMemoryLimit, smallFramework, d.FrameworkMemoryLimit),
		bytesLimit("namespaceMemoryLimit", c.NamespaceMemoryLimit, smallFramework, d.NamespaceMemoryLimit),
		bytesLimit("etcdQuota", c.EtcdQuota, smallEtcd, d.EtcdQuota),
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

// A smaller value almost always means that its unit was forgotten, and with it nothing would ever run. A small Framework takes a MiB of
// memory, and an etcd for tests has 64 MiB.
const (
	smallFramework Bytes = 1 << 20
	smallEtcd      Bytes = 64 << 20
)

func bytesLimit(key string, value, least, otherwise Bytes) limit {
	return limit{value == 0 || value >= least, key, value, fmt.Sprintf("0, which means no limit, or at least %s", least), otherwise}
}

func (c *Config) rateLimits() []limit {
	if c.KubeClientQPS == nil || c.KubeClientBurst == nil {
		return nil
	}
	qps, burst := *c.KubeClientQPS, *c.KubeClientBurst
	const none = "no limit if kubeClientQps and kubeClientBurst are both left out"
	return []limit{
		{0 < qps && qps <= 10000, "kubeClientQps", qps, "above 0 and at most 10000", none},
		{0 <= burst && burst <= 10000, "kubeClientBurst", burst, "from 0 to 10000", none},
	}
}
