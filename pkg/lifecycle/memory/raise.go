package memory

import (
	"math"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

// mostContainers bounds the list in the status of a Task. A Pod seldom has more containers.
const mostContainers = 32

// longestName is the length of the longest name of a container that is created. A status may have others.
const longestName = 63

// Raise returns the memory of later Pods after containers lacked memory in a Pod, and the change for each of them. Both are nil if the
// policy raises none. The list is the result of earlier failures.
func Raise(list []v1.ContainerMemory, lacking []completion.Container, p Policy) ([]v1.ContainerMemory, []v1.MemoryChange) {
	if !p.raises() {
		return nil, nil
	}
	next := slices.Clone(list)
	var changes []v1.MemoryChange
	for _, c := range lacking[:min(len(lacking), mostContainers)] {
		change := v1.MemoryChange{Container: completion.Cut(c.Name, longestName)}
		i := slices.IndexFunc(next, func(m v1.ContainerMemory) bool { return m.Container == c.Name })
		switch {
		case c.MemoryLimit <= 0:
			change.Kept = v1.MemoryNoLimit
		case i < 0 && len(next) >= mostContainers: // of other templates
			continue
		default:
			entry := v1.ContainerMemory{Container: c.Name, FirstLimit: text(c.MemoryLimit)}
			if i >= 0 {
				entry = next[i]
			}
			change.From = text(c.MemoryLimit)
			limit := min(multiplied(c.MemoryLimit, p.Factor), p.most(quantity.Bytes(entry.FirstLimit)))
			if limit <= c.MemoryLimit {
				change.Kept = v1.MemoryAtMaximum
				break
			}
			change.To = text(limit)
			if limit <= quantity.Bytes(entry.Limit) { // the maximum was lowered in between, and Within heeds it
				break
			}
			if entry.Limit, entry.Request = change.To, ""; c.MemoryRequest > 0 {
				entry.Request = text(request(c, limit, p.Factor))
			}
			if i < 0 {
				next = append(next, entry)
			} else {
				next[i] = entry
			}
		}
		changes = append(changes, change)
	}
	return next, changes
}

// request returns the request beside a raised limit. One that equals the limit stays equal, as does the quality of service of the Pod.
func request(c completion.Container, limit int64, factor float64) int64 {
	if c.MemoryRequest >= c.MemoryLimit {
		return limit
	}
	return min(multiplied(c.MemoryRequest, factor), limit)
}

const mebibyte = 1 << 20

// multiplied rounds up to whole MiB.
func multiplied(bytes int64, factor float64) int64 {
	product := math.Ceil(float64(bytes) * factor / mebibyte)
	if product >= math.MaxInt64/mebibyte {
		return math.MaxInt64
	}
	return int64(product) * mebibyte
}

// Raised reports whether one of the changes raised memory.
func Raised(changes []v1.MemoryChange) bool {
	return slices.ContainsFunc(changes, func(c v1.MemoryChange) bool { return c.Kept == "" })
}

// Within returns the memory that containers of the next Pod get, unless its template gives them more. The maximum of onOOM, if there
// is one, may have been lowered since the memory was raised.
func Within(list []v1.ContainerMemory, onOOM *v1.OnOOMSpec) []v1.ContainerMemory {
	if len(list) == 0 || onOOM == nil {
		return list
	}
	most, out := quantity.Bytes(onOOM.MaxMemory), slices.Clone(list)
	for i := range out {
		m := &out[i]
		if quantity.Bytes(m.Limit) > most {
			m.Limit = text(most)
		}
		if quantity.Bytes(m.Request) > most {
			m.Request = text(most)
		}
	}
	return out
}

// MiB returns the sum of the limits in MiB, which changes whenever one is raised.
func MiB(list []v1.ContainerMemory) (sum int64) {
	for _, m := range list {
		sum += quantity.Bytes(m.Limit) / mebibyte
	}
	return sum
}
