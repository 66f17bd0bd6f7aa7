// Package flowcontrol decides who may go, and how many at once. It knows nothing of what they do: its callers bring keys,
// functions, durations and outcomes.
//
// # Words
//
//   - A slot is the right to do one thing while others wait. There are slots for rounds, and others for jobs.
//   - A Limiter has the slots for rounds: the more of them, up to a limit, the quicker the API server answers.
//   - The baseline is the latency of a request that does not queue at the API server; the Limiter learns it.
//   - A PriorityQueue hands out keys of high priority first, and some of low priority in between.
//   - A Pool performs Jobs. A job belongs to an owner, a Framework, and owners take turns.
//   - A handoff gives the slot of a job that takes long to another one. The job still counts for its owner and namespace.
//   - A Breaker holds a Framework's actions of one kind back after a failure: it is open. When it is half open, it lets one
//     action through, the probe, whose outcome decides about the others.
//   - A MemoryBudget admits Frameworks as long as what is held for them, and for their namespaces, is within bounds.
//   - LargeReads are the slots for reads of objects that take much memory.
//   - InProgress are those that have begun and not ended yet.
//
// # Data flow
//
//	key -> PriorityQueue -> slot of the Limiter -> round -> jobs -> Pool -> Breaker -> request
//	                              ^                  |                         ^          |
//	                              +--- latencies ----+                         +- outcome +
package flowcontrol
