// Package convert turns objects of other systems into Frameworks: Volcano Jobs, JobSets, jobs of the training operator, and Jobs.
//
// It is pure: an object comes in, a Framework goes out, with a line for each field that has no equivalent and the nearest way to what
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
// Objects of one file are converted by one Converter, so that their Frameworks have different names and their Pods the labels by which
// other objects of the file select them.
//
// A conversion takes fields of an object and makes roles; each system has its file, and beside it what needs more than a few lines
// (volcano_policies.go, job_failures.go). What they share is what a Framework is made of (framework.go), what is done to a Pod template
// (template.go), how things are named (names.go), and what becomes of labels and annotations: of those that objects have (keys.go), and
// of those that controllers give to Pods (mentions.go).
//
// The rule has one test for all (rule_test.go): on each file in testdata/files, every value is changed and removed, and unknown fields and
// keys are planted at every place. test/e2e runs what becomes of these files.
package convert
