package memory

import (
	"cmp"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

// defaultFactor applies where an older CRD has not filled in memoryFactor.
const defaultFactor = "1.5"

// Policy is how memory is raised. The zero value raises none.
type Policy struct {
	// Factor is above 1.
	Factor float64
	// Max is the maximum in bytes; 0 allows v1.MaxAdvisedMemoryFactor times the first limit.
	Max int64
}

// PolicyOf returns the policy of a Task. A factor that is advised by a plugin takes the place of the spec's; 0 if none is. Without onOOM,
// which may be nil, only a plugin raises memory.
func PolicyOf(onOOM *v1.OnOOMSpec, advised float64) Policy {
	if onOOM == nil {
		return Policy{Factor: advised}
	}
	p := Policy{Factor: advised, Max: quantity.Bytes(onOOM.MaxMemory)}
	if advised == 0 {
		p.Factor, _ = strconv.ParseFloat(cmp.Or(onOOM.MemoryFactor, defaultFactor), 64)
	}
	if p.Max <= 0 {
		return Policy{}
	}
	return p
}

// raises reports whether memory can be raised at all.
func (p Policy) raises() bool { return p.Factor > 1 }

// most returns the maximum for a container that began with that limit.
func (p Policy) most(first int64) int64 {
	if p.Max > 0 {
		return p.Max
	}
	return v1.MaxAdvisedMemoryFactor * first
}

func text(bytes int64) string { return resource.NewQuantity(bytes, resource.BinarySI).String() }
