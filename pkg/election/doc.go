// Package election lets one of several processes lead, and keeps the others, and one that led before, from writing.
//
// It promises that a process sends a write only while it holds the lease, that each write has an end before the lease
// may be somebody else's, and that a process that has lost the lease never writes again: it is to end. What it cannot
// promise is that the API server has not been sent a write already that it gets to see later, since a lease gives no
// fencing. Whoever takes over has to be able to live with one (decisions, W8 and W10; pkg/lifecycle/testdata/late.txt).
//
//	o := election.Options{Namespace: namespace, Name: name, Timing: election.Defaults, Log: log}
//	e, err := election.New(restConfig, o)
//	e.Guard(restConfig)     // clients that are made from it write only while e leads
//	err = e.Run(ctx, lead)  // ErrLost if the lease was lost
//
// The fence is what each write has to pass. It stands by, leads, drains, when it admits no more writes and waits for those
// under way, or is lost: revoked, because the lease has expired or somebody else has it.
//
// How long the lease is held is counted on this process's own clock, from before the request that has renewed it was
// sent. Others count from when they see it renewed, which is later. With the default Timing, s being seconds since then:
//
//	0      1 ... 2                  5.5                       6 ... 8                      8
//	renew  renewed again, usually   no write begins any more  the process gives up, ends   others may lead
//	                                |<- 2.5 s, until a write that has begun has ended --->|
package election
