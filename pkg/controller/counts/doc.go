// Package counts counts Frameworks and Tasks by state, and Frameworks by what they wait for.
//
// It costs a round what has changed in it, and a reader the same however many there are: nothing is ever counted again from
// the beginning, and reading takes no lock.
//
// # Words
//
//   - StateCounts are the sums over all Frameworks.
//   - Counted is what the sums have of one Framework, so that it can be taken out again. It belongs to the Framework's round.
//   - A reason is that of the condition Waiting. Those that are not counted by themselves are Other.
//   - Invalid stands for the state of a Framework of which nothing is decided, because what is stored makes no sense.
//
// # Data flow
//
//	what a round has stored -> Apply(Counted) -> StateCounts -> States, Waiting -> metrics
package counts
