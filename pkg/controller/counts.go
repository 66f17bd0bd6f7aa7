package controller

import "github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"

// StateCounts returns how many Frameworks and Tasks are in each state. It costs the same however many there are.
func (c *Controller) StateCounts() []counts.ByState { return c.reporter.counts.States() }

// Waiting returns how many Frameworks wait, for each reason. It costs the same however many there are.
func (c *Controller) Waiting() []counts.ByReason { return c.reporter.counts.Waiting() }
