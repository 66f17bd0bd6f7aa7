// Package convert turns objects of other systems into Frameworks: Volcano Jobs, JobSets, jobs of the training operator, and Jobs.
//
// It is pure: an object comes in, a Framework goes out, with a line for each field that has no equal and the nearest way to what
// it did. Nothing is dropped without such a line, whatever the object has in it: what a conversion has not taken of an object is
// found by going through all that is there (fields.go), so that a field that nobody here knows is told by its path. Pod templates
// are passed on as they are, but for what is said of them.
//
//	result, err := convert.Object(object)
//	print(result.Framework)
//	for _, lost := range result.Lost {
//		warn(lost.Path, lost.Instead)
//	}
//
// A conversion takes fields of an object and makes roles; each system has its file, and beside it what needs more than a few lines
// (volcano_policies.go, job_failures.go). What they share is what a Framework is made of (framework.go), what is done to a Pod template
// (template.go), and how things are named (names.go).
package convert
