// Package flowcontrol decides who may go, and how many at once. It knows nothing of what they do: its callers bring keys,
// functions, durations and times.
//
// # Words
//
//   - A slot is the right to do one thing while others wait. Who holds it for long gives it back before its end.
//   - A Limiter has slots for rounds. It has more of them, up to a limit, the quicker the API server answers.
//   - The baseline is the latency of a request that does not queue at the API server; the Limiter learns it.
//   - A PriorityQueue hands out keys of high priority first, and some of low priority in between.
//   - InProgress are those that have begun and not ended yet.
//
// # Data flow
//
//	key -> PriorityQueue -> slot of the Limiter -> round
//	             ^                                   |
//	             +----- events      latencies -> Limiter
package flowcontrol
