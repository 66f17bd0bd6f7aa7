package controller

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

// reader brings records up to date with the stored Frameworks.
type reader struct {
	clients    *apiserver.Clients
	watches    *watches
	queue      *roundQueue
	limiter    *flowcontrol.Limiter
	memory     *flowcontrol.MemoryBudget
	largeReads flowcontrol.LargeReads
	writer     *writer
	reporter   *reporter
	server     *apiserver.Server
	now        func() time.Time
	// compressEarly: large statuses are stored compressed before they have to be.
	compressEarly bool
}
