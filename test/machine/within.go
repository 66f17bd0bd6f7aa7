package machine

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Within returns how long to wait on this machine for something that may take d on a quick one. It is whole seconds, d at
// least and 4 times d at most: a machine slower than that is of no use for these tests.
func Within(d time.Duration) time.Duration {
	return time.Duration(float64(d) * factor()).Round(time.Second)
}

// reference is how long the measured work takes on the machine that the deadlines are chosen for.
const reference = 35 * time.Millisecond

// factor is how many times longer than on that machine the same work takes here.
var factor = sync.OnceValue(func() float64 {
	took := work()
	for range 4 { // other processes may have interrupted the first attempt
		took = min(took, work())
	}
	return bounded(took)
})

func bounded(took time.Duration) float64 {
	return min(max(1, float64(took)/float64(reference)), 4)
}

// work returns how long a fixed amount of work takes. Sorting needs processor, caches and memory, and no instructions that
// only some processors have.
func work() time.Duration {
	numbers := make([]uint64, 1<<18)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range numbers {
		numbers[i] = random.Uint64()
	}
	begin := time.Now()
	slices.Sort(numbers)
	return time.Since(begin)
}
