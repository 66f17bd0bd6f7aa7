package controller

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

// writer stores the status of Frameworks.
type writer struct {
	clients  *apiserver.Clients
	reporter *reporter
	server   *apiserver.Server
	limiter  *flowcontrol.Limiter
	now      func() time.Time
}
