// Package controller makes Frameworks happen: it watches the cluster, lets package lifecycle decide, stores
// what was decided, and then does it.
//
// It promises that no action is performed before the status that calls for it is stored, that an action that
// fails is tried again, and that one Framework never disturbs another. It decides nothing by itself: whatever
// depends on the meaning of a Framework is in package lifecycle, and what its objects look like in package
// objects.
//
//	clients, err := controller.NewClients(restConfig)
//	c, err := controller.New(clients, controller.Options{Workers: 200, Lifecycle: config, CRD: crd, Log: log})
//	c.StandBy(ctx)   // if there may be another one that runs
//	err = c.Run(ctx) // until ctx ends
//
// One round of one Framework is sync.go, to be read from top to bottom:
//
//	events -> key -> read -> observe -> lifecycle.Step -> persist -> report -> perform
//	   ^                                                                          |
//	   +------------ what became of an action is an event for the next round -----+
//
// A round of a Framework never runs twice at once, and everything that is known about the Framework between
// rounds (record.go) belongs to its round alone. Watch events and results of actions come in through its mailbox
// (mailbox.go). Actions run outside the round, in a pool that all Frameworks share fairly (pool.go).
package controller
