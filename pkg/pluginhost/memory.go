package pluginhost

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// DefaultMemoryLimit is what a plugin may use if the configuration does not say, in bytes: far more than a plugin needs,
// and little enough that a leak does not get the controller killed, which shares its container's memory with it.
const DefaultMemoryLimit = 1 << 30

// minMemoryLimit is what programs of some languages need only to start. Less is a mistake in the unit.
const minMemoryLimit = 16 << 20

func (c Config) memoryLimit() int64 {
	if c.MemoryLimit == 0 {
		return DefaultMemoryLimit
	}
	return c.MemoryLimit
}

// limitMemory kills the process, with those that it has started, once they use too much memory. It returns when the
// process has ended. Limits of the operating system would not do: those on addresses are far beyond what runtimes with
// garbage collectors really use, and a process that is refused memory may hang instead of ending.
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
			ch.kill(overMemory, "it used "+inBytes(used)+" of memory, more than its memoryLimit of "+inBytes(most))
		}
	}
}

// inBytes is a number of bytes as the configuration has it, in whole MiB unless it is exact otherwise.
func inBytes(n int64) string {
	if n > 1<<20 && n%(1<<20) != 0 {
		n = n >> 20 << 20
	}
	return resource.NewQuantity(n, resource.BinarySI).String()
}
