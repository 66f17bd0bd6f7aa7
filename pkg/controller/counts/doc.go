// Package counts keeps the numbers of Frameworks and Tasks by state, and of Frameworks by their reason for waiting.
//
// The cost for a round is proportional to its changes, and the cost for a reader does not depend on the number of Frameworks:
// nothing is ever counted again, and reading takes no lock.
//
// # Words
//
//   - StateCounts are the sums over all Frameworks.
//   - Counted is the share of one Framework in the sums, so that it can be removed again. It belongs to the Framework's round.
//   - A reason is the reason of the condition Waiting. Reasons without a count of their own are Other.
//   - Invalid is the state of a Framework that is left alone, because its stored object is invalid.
//
// # Data flow
//
//	stored result of a round -> Apply(Counted) -> StateCounts -> States, Waiting -> metrics
package counts
