// Package hintstory tells in files what a plugin with scheduler hints answers, for the tests of those that ship.
//
//	hintstory.Run(t, "testdata", hint)
//
// In a file, "hint" asks with the question in YAML: roles by name, scheduling and parameters, with the keys of the contract.
// "again" does it with the last answer that was no refusal as the previous one, as for a rescale, or when Tasks have
// completed. The answer is checked against the contract.
package hintstory
