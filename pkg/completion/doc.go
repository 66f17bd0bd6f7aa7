// Package completion determines how an attempt ended: it turns an ended Pod, or a refused Pod creation, into a
// completion code with phrase, type and diagnostics.
//
// It promises the codes, phrases and types of contract 4.2, the matching of contract 4.4 and, byte for byte,
// the two diagnostics forms of contract 4.5, which clients parse. It is pure: it reads no clock and does no
// I/O. Package lifecycle decides on the consequences of a code, such as a retry. Package config reads the rules from
// a file.
//
//	rules, err := completion.Compile(specs) // podFailureSpec of the configuration, once at start
//	status := rules.Classify(pod)           // phase Failed
//	status = completion.Predefined(completion.CodeSucceeded, "Pod succeeded")
//	if completion.IsPredefined(status, completion.CodeStopFrameworkRequested) { ... }
//
// Vocabulary. A rule has one code and one or more pod patterns. A pod pattern may hold container patterns.
// A pattern names a field when its configuration mentions it; a field that is not named matches anything.
// Rules are asked in order, the predefined ones (200, 201, 210) first, and the first pattern that matches
// decides. Codes fall into ranges (contract 4.1):
//
//	0            success
//	-999 .. -1   predefined, never configured: -1xx transient, -2xx permanent, -3xx unknown
//	200 .. 219   predefined, agreed between containers and the controller
//	the rest     rules of the configuration, and exit codes of containers as OfExit makes them codes: never from -1999 to -1
package completion
