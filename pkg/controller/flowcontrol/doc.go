// Package flowcontrol limits how much runs at once, and decides the order. It does not know the work: its callers pass keys,
// functions, durations and outcomes.
//
// # Words
//
//   - A slot is the right to do one thing while others wait. There are slots for rounds and slots for jobs.
//   - A Limiter has the slots for rounds: the quicker the API server answers, the more slots there are, up to a limit.
//   - The baseline is the latency of a request that does not queue at the API server; the Limiter learns it.
//   - A PriorityQueue hands out keys of high priority first, and some of low priority in between.
//   - A Pool performs Jobs. A job belongs to an owner, a Framework, and owners take turns.
//   - A handoff passes the slot of a slow job to another one. The slow job still counts for its owner and namespace.
//   - A Breaker holds back a Framework's actions of one kind after a failure: it is open. When it is half open, it lets one
//     action through, the probe, whose outcome decides about the others.
//   - A MemoryBudget admits Frameworks as long as their memory, and the memory of their namespaces, is within limits.
//   - A StorageBudget spreads the writes of large statuses over time, for the sake of etcd.
//   - LargeReads are the slots for reads of objects that take much memory.
//   - InProgress tracks the work that has begun and not ended yet.
//
// # Data flow
//
//	key -> PriorityQueue -> slot of the Limiter -> round -> jobs -> Pool -> Breaker -> request
//	                              ^                  |                         ^          |
//	                              +--- latencies ----+                         +- outcome +
package flowcontrol
