// Package convert turns objects of other systems into Frameworks: Volcano Jobs, JobSets, jobs of the training operator, and Jobs.
//
// It is pure: it turns an object into a Framework, and reports each field that has no equivalent with the closest alternative.
// Nothing is dropped without a report: after a conversion, a walk over the object (fields.go) finds all fields that the
// conversion has not taken. Even an unknown field is reported with its path. Pod templates are passed on unchanged, except for
// reported changes.
//
//	result, err := convert.Object(object)
//	print(result.Framework)
//	for _, lost := range result.Lost {
//		warn(lost.Path, lost.Instead)
//	}
//
// One Converter converts all objects of a file. Their Frameworks get different names, and their Pods get the labels by which
// other objects of the file select them.
//
// A conversion takes fields of an object and makes roles. Each system has a file, and its larger parts have their own files
// (volcano_policies.go, job_failures.go). The conversions share the construction of a Framework (framework.go), changes of a Pod
// template (template.go), names (names.go), the labels and annotations of objects (keys.go), and the labels and annotations that
// controllers add to Pods (mentions.go).
//
// One test checks the rule for all conversions (rule_test.go). On each file in testdata/files, it changes and removes every
// value, and adds unknown fields and keys at every place. test/e2e runs the Frameworks made from these files.
package convert
