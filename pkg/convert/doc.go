// Package convert turns objects of other systems into Frameworks: Volcano Jobs, JobSets, jobs of the training operator, and Jobs.
//
// It is pure: it turns an object into a Framework, and reports each field that has no equivalent with the closest alternative.
// Nothing is dropped without a report: after a conversion, all fields that it has not taken are found by a walk over the
// object (fields.go), so that even an unknown field is reported with its path. Pod templates are passed on unchanged, except
// for reported changes.
//
//	result, err := convert.Object(object)
//	print(result.Framework)
//	for _, lost := range result.Lost {
//		warn(lost.Path, lost.Instead)
//	}
//
// Objects of one file are converted by one Converter, so that their Frameworks have different names and their Pods the labels
// by which other objects of the file select them.
//
// A conversion takes fields of an object and makes roles. Each system has a file, with larger parts in files of their own
// (volcano_policies.go, job_failures.go). They share the construction of a Framework (framework.go), changes of a Pod template
// (template.go), names (names.go), and the handling of labels and annotations: those of objects (keys.go), and those that
// controllers give to Pods (mentions.go).
//
// One test checks the rule for all conversions (rule_test.go): on each file in testdata/files, every value is changed and
// removed, and unknown fields and keys are added at every place. test/e2e runs the Frameworks made from these files.
package convert
