// Package election lets one of several processes lead, and keeps the others, and former leaders, from writing.
//
// It promises that a process sends a write only while it holds the lease, that each write ends before somebody else can have the lease, and
// that a process that has lost the lease never writes again: it should end. It cannot promise that no earlier write reaches the API server
// late, since a lease gives no fencing. A new leader must be able to tolerate such a write (decisions, W8 and W10;
// pkg/lifecycle/testdata/late.txt).
//
//	o := election.Options{Namespace: namespace, Name: name, Timing: election.Defaults, Log: log}
//	e, err := election.New(restConfig, o)
//	e.Guard(restConfig)     // clients created from it write only while e leads
//	err = e.Run(ctx, lead)  // ErrLost if the lease was lost
//
// Each write has to pass the fence. The fence stands by, leads, drains (it admits no more writes and waits for those under way), or is
// lost: revoked, because the lease has expired or somebody else has it.
//
// The duration of the lease is measured on this process's own clock, from before the renewing request was sent. Others measure from when
// they see it renewed, which is later. With the default Timing, s being seconds since then:
//
//	0      1 ... 2                  5.5                       6 ... 8                      8
//	renew  renewed again, usually   no write begins any more  the process gives up, ends   others may lead
//	                                |<- 2.5 s, until a write that has begun has ended --->|
package election
