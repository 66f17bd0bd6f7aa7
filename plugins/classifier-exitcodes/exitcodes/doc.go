// Package exitcodes judges failed Pods by the exit code of the container that failed last, in ways that patterns cannot: the same code may
// have different meanings in different namespaces or roles, and another meaning when it occurs again.
//
// It promises to apply, in this order: outOfMemory, sameCodeOnNodes, then the code's meaning for the role, for the namespace, and for all.
// It has no opinion on codes without a meaning, nor on the controller's own, such as 200: if any container, sidecars apart, ended with 200,
// 201 or 210, that decides, whatever is configured. If the parameters of a Framework are wrong, it uses the configuration's, and refuses a
// code that has no meaning there. Earlier attempts of the same Task count if the controller lists them, which it does for at most the last
// 16.
//
//	plugin.Serve(exitcodes.New())
//
// Vocabulary. A meaning is the interpretation of a code: a phrase, a type, and perhaps another code. A table has the meanings of single
// codes, such as "42", and of ranges, such as "64-78"; a single code comes before a range.
package exitcodes
