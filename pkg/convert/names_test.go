package convert

import (
	"strings"
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

// Objects of one file whose Framework names would be equal get different ones, and the change is reported.
func TestFrameworksOfAFileHaveNamesOfTheirOwn(t *testing.T) {
	var all Converter
	for _, c := range []struct{ object, name, told string }{
		{named("a", "Job", "train-1-1"), "train11", "metadata.name: train-1-1 becomes train11, because Framework names may contain only lower-case letters and digits; update everything that refers to it"},
		{named("a", "Job", "train-11"), "train112", "metadata.name: train-11 becomes train112, because Job train-1-1 becomes Framework train11; update everything that refers to it"},
		{named("b", "Job", "train-11"), "train11", "metadata.name: train-11 becomes train11, because Framework names may contain only lower-case letters and digits; update everything that refers to it"},
		{named("a", "PyTorchJob", "train11"), "train113", "metadata.name: train11 becomes train113, because Job train-1-1 becomes Framework train11; update everything that refers to it"},
		{named("a", "Job", "train112"), "train1122", "metadata.name: train112 becomes train1122, because Job train-11 becomes Framework train112; update everything that refers to it"},
		{named("b", "Job", "once"), "once", ""},
		{named("b", "Job", "once"), "once", "metadata.name: Job once comes twice: of two Frameworks with the same name, the one that is applied last replaces the other"},
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

// Objects that are not converted have names, too: a Framework reserves its name, and other kinds reserve the names of objects that a
// Framework would own.
func TestNamesOfOtherObjectsAreTaken(t *testing.T) {
	const mpi = "{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {namespace: a, name: mnist}, spec: {mpiReplicaSpecs: {Launcher: {template: {spec: {containers: [{name: main, image: app}]}}}}}}"
	other := func(version, kind, namespace, name string) string {
		return "{apiVersion: " + version + ", kind: " + kind + ", metadata: {namespace: " + namespace + ", name: " + name + "}}"
	}
	const framework = "frameworkcontroller.microsoft.com/v1"
	renamed := func(from, to, why string) string {
		return "metadata.name: " + from + " becomes " + to + ", because " + why + "; update everything that refers to it"
	}
	owns := func(what string) string {
		return "Framework mnist would need a " + what + " of its own, and there is another one of that name"
	}
	for name, c := range map[string]struct {
		beside             []string
		object, name, told string
	}{
		"a Framework":                     {[]string{other(framework, "Framework", "a", "train")}, named("a", "Job", "tr-ain"), "train2", renamed("tr-ain", "train2", "there is a Framework train already")},
		"a Framework elsewhere":           {[]string{other(framework, "Framework", "b", "train")}, named("a", "Job", "train"), "train", ""},
		"a Service":                       {[]string{other("v1", "Service", "a", "mnist")}, named("a", "PyTorchJob", "mnist"), "mnist2", renamed("mnist", "mnist2", owns("Service mnist"))},
		"a Service elsewhere":             {[]string{other("v1", "Service", "b", "mnist")}, named("a", "PyTorchJob", "mnist"), "mnist", ""},
		"a Service, and no network":       {[]string{other("v1", "Service", "a", "mnist")}, named("a", "Job", "mnist"), "mnist", ""},
		"a Service of another group":      {[]string{other("serving.knative.dev/v1", "Service", "a", "mnist")}, named("a", "PyTorchJob", "mnist"), "mnist", ""},
		"a ConfigMap":                     {[]string{other("v1", "ConfigMap", "a", "mnist-attempt")}, named("a", "Job", "mnist"), "mnist2", renamed("mnist", "mnist2", owns("ConfigMap mnist-attempt"))},
		"a Secret":                        {[]string{other("v1", "Secret", "a", "mnist-ssh")}, mpi, "mnist2", renamed("mnist", "mnist2", owns("Secret mnist-ssh"))},
		"a Secret, and no ssh":            {[]string{other("v1", "Secret", "a", "mnist-ssh")}, named("a", "PyTorchJob", "mnist"), "mnist", ""},
		"a Service and a Secret":          {[]string{other("v1", "Service", "a", "mnist"), other("v1", "Secret", "a", "mnist2-ssh")}, mpi, "mnist3", renamed("mnist", "mnist3", owns("Service mnist"))},
		"a Service and another Framework": {[]string{other("v1", "Service", "a", "mnist"), other(framework, "Framework", "a", "mnist2")}, mpi, "mnist3", renamed("mnist", "mnist3", owns("Service mnist"))},
	} {
		t.Run(name, func(t *testing.T) {
			var all Converter
			for _, object := range c.beside {
				all.Beside(parse(t, object))
			}
			result, err := all.Object(parse(t, c.object))
			require.NoError(t, err)
			var told []string
			for _, lost := range result.Lost {
				if lost.Path == "metadata.name" {
					told = append(told, lost.String())
				}
			}
			require.Equal(t, c.told, strings.Join(told, "\n"))
			require.Equal(t, c.name, result.Framework["metadata"].(map[string]any)["name"])
		})
	}
}

// The addresses passed to Pods use the Framework's final name.
func TestAddressesFollowTheName(t *testing.T) {
	var all Converter
	all.Beside(parse(t, "{apiVersion: v1, kind: Service, metadata: {name: mnist}}"))
	result, err := all.Object(parse(t, strings.Replace(named("a", "PyTorchJob", "mnist"), "namespace: a, ", "", 1)))
	require.NoError(t, err)
	require.Contains(t, shown(t, result, "pods"), "value: mnist2-master-0.mnist2")
}
