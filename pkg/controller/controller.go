package controller

import (
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

// Controller runs the Frameworks of one cluster. There must be only one at a time that runs; others may stand by.
//
// It has the rounds (run.go, sync.go), and says when each is due. What a round reads, stores, does, asks and reports is done
// by those that wiring.go gives it.
type Controller struct {
	options Options
	log     hclog.Logger
	now     func() time.Time
	queue   *roundQueue
	limiter *flowcontrol.Limiter // of rounds

	watches   *watches
	reader    *reader
	writer    *writer
	performer *performer
	asker     *asker
	reporter  *reporter
	vitals    *vitals
}
