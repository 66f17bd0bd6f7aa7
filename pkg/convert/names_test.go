package convert

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func named(namespace, kind, name string) string {
	text := "{kind: " + kind + ", metadata: {namespace: " + namespace + ", name: " + name + "}, "
	pod := "{spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}"
	if kind == "PyTorchJob" {
		return text + "apiVersion: kubeflow.org/v1, spec: {runPolicy: {backoffLimit: 0}, pytorchReplicaSpecs: {Master: {restartPolicy: Never, template: " + pod + "}}}}"
	}
	return text + "apiVersion: batch/v1, spec: {backoffLimit: 0, template: " + pod + "}}"
}

// Objects of one file whose names are the same in a Framework get different ones, which is told.
func TestFrameworksOfAFileHaveNamesOfTheirOwn(t *testing.T) {
	var all Converter
	for _, c := range []struct{ object, name, told string }{
		{named("a", "Job", "train-1-1"), "train11", "metadata.name: train-1-1 is train11 here, as names are of lower-case letters and digits; mind what refers to it"},
		{named("a", "Job", "train-11"), "train112", "metadata.name: train-11 is train112 here, as Job train-1-1 is Framework train11 already; mind what refers to it"},
		{named("b", "Job", "train-11"), "train11", "metadata.name: train-11 is train11 here, as names are of lower-case letters and digits; mind what refers to it"},
		{named("a", "PyTorchJob", "train11"), "train113", "metadata.name: train11 is train113 here, as Job train-1-1 is Framework train11 already; mind what refers to it"},
		{named("a", "Job", "train112"), "train1122", "metadata.name: train112 is train1122 here, as Job train-11 is Framework train112 already; mind what refers to it"},
		{named("b", "Job", "once"), "once", ""},
		{named("b", "Job", "once"), "once", "metadata.name: Job once comes twice: of two Frameworks with one name, the one that is applied later replaces the other"},
	} {
		result, err := all.Object(parse(t, c.object))
		require.NoError(t, err)
		told := ""
		for _, lost := range result.Lost {
			told += lost.String()
		}
		require.Equal(t, c.told, told, c.object)
		require.Equal(t, c.name, result.Framework["metadata"].(map[string]any)["name"])
	}
}

// A Service in the same file selects the Pods of a Job by a label that the Job controller gives them.
func TestOtherObjectsOfTheFileSelectPods(t *testing.T) {
	var all Converter
	all.Beside(parse(t, "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {job-name: train}}}"))
	result, err := all.Object(parse(t, named("a", "Job", "train")))
	require.NoError(t, err)
	require.Contains(t, shown(t, result, "pods"), "job-name: train")
}
