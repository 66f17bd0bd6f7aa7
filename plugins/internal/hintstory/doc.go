// Package hintstory compares the answers of a plugin with scheduler hints with files, for the tests of the shipped plugins.
//
//	hintstory.Run(t, "testdata", hint)
//
// In a file, "hint" asks with the question in YAML: roles by name, scheduling and parameters, with the keys of the contract.
// "again" asks with the last answer that was no refusal as the previous one, as after a rescale, or when Tasks have
// completed. The answer is checked against the contract.
package hintstory
