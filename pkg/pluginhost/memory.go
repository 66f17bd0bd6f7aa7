package pluginhost

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// DefaultMemoryLimit is the memory that a plugin may use, in bytes, if the configuration does not set it: far more than
// a plugin needs, and small enough that a leak does not get the controller killed, which shares its container's memory.
const DefaultMemoryLimit = 1 << 30

// minMemoryLimit is the memory that programs in some languages need only to start. A smaller limit is a mistake in the
// unit.
const minMemoryLimit = 16 << 20

func (c Config) memoryLimit() int64 {
	if c.MemoryLimit == 0 {
		return DefaultMemoryLimit
	}
	return c.MemoryLimit
}

// limitMemory kills the process and its children once they use too much memory. It returns when the process has ended.
// Limits of the operating system are unsuitable: limits on addresses are far above the memory that garbage-collected
// runtimes really use, and a process that is refused memory may hang instead of ending.
func (ch *child) limitMemory(every time.Duration, limit func() int64) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ch.process.ended:
			return
		case <-tick.C:
		}
		if used, most := memoryOf(ch.process.pid()), limit(); used > most {
			ch.kill(overMemory, "it used "+inBytes(used)+" of memory, which exceeds its memoryLimit of "+inBytes(most))
		}
	}
}

// inBytes formats a number of bytes as in the configuration, rounded to MiB unless it has a shorter exact form.
func inBytes(n int64) string {
	if n > 1<<20 && n%(1<<20) != 0 {
		n = n >> 20 << 20
	}
	return resource.NewQuantity(n, resource.BinarySI).String()
}
