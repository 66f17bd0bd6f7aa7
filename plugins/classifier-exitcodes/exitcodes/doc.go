// Package exitcodes judges failed Pods by the exit code of the container that failed last, in ways that patterns cannot:
// the same code may mean something else in another namespace or role, and something else when it comes again.
//
// It promises to ask, in this order: outOfMemory, sameCodeOnNodes, then what the code means for the role, for the
// namespace, and for everybody. It has no opinion on codes that none of them knows, nor on the controller's own, such as
// 200: if any container ended with 200, 201 or 210, sidecars apart, that decides, whatever is configured. If the parameters
// of a Framework are wrong, it goes by the configuration's, and refuses what those do not know. Earlier attempts of the
// same Task count as far as the controller tells of them, which is the last 16.
//
//	plugin.Serve(exitcodes.New())
//
// Vocabulary. A meaning is what a code stands for: a phrase, a type, and perhaps another code. A table has the meanings of
// single codes, such as "42", and of ranges, such as "64-78"; a single code goes before a range.
package exitcodes
