package controller

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

// reader brings records up to date with the stored Frameworks.
type reader struct {
	clients      *Clients
	watches      *watches
	queue        *roundQueue
	limiter      *flowcontrol.Limiter
	holdings     *holdings
	largeReading largeReading
	writer       *writer
	reporter     *reporter
	now          func() time.Time
	// compressEarly: large statuses are stored compressed before they have to be.
	compressEarly bool
}

const (
	// largeObject is how many bytes an object has from which on it is large: a read takes several times that until what is
	// wanted of it is taken.
	largeObject = 128 << 10
	// largeReads is how many large objects are read at the same time. Many may come at once, as at the start.
	largeReads = 4
)

// largeReading lets in so many reads of large objects.
type largeReading chan struct{}

func newLargeReading() largeReading { return make(largeReading, largeReads) }
