package controller

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

// writer stores the status of Frameworks.
type writer struct {
	clients  *Clients
	reporter *reporter
	server   *server
	limiter  *flowcontrol.Limiter
	now      func() time.Time
}
