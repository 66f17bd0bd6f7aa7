package gangs

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// Example is a Framework in example/framework that is for a scheduler.
type Example struct {
	Name        string // name of the file, and of the Framework
	Permissions string // manifest in deploy/hints that it needs; empty for none

	// Before is the spec of a Framework that leaves too little room for this one, and how many Pods it has.
	Before     string
	BeforePods int
	// While there is too little room, the example has Pods Pods, Bound of them have a node, and it waits with the message Says.
	Pods, Bound int
	Says        string
}

// RunExample follows the head of the file, and nothing else: the controller is configured as described there, has the permissions of the
// manifests, and the objects for the scheduler are applied. Then the Framework waits for room, and succeeds.
func (w *World) RunExample(t *testing.T, e Example) {
	t.Helper()
	text, err := os.ReadFile("../../example/framework/" + e.Name + ".yaml")
	require.NoError(t, err)
	plugins, manifests := asked(string(text))
	require.NotEmpty(t, plugins, "the file does not say how to configure the controller")
	w.installPermissions(t, e.Permissions)
	w.restartController(t, plugins)

	s := w.NewStory(t)
	here := strings.NewReplacer("namespace: default", "namespace: "+s.Namespace)
	for _, manifest := range manifests {
		require.NoError(t, w.Apply(t.Context(), here.Replace(manifest)))
	}
	s.Create("before", e.Before)
	s.AwaitBound("before", e.BeforePods, e.BeforePods)
	require.NoError(t, w.kubectl(t.Context(), string(text), "apply", "--namespace="+s.Namespace, "-f", "-"))
	s.AwaitWaiting(e.Name, e.Says)
	s.StaysBound(e.Name, e.Pods, e.Bound)
	s.Delete("before")
	s.AwaitSucceeded(e.Name)
}

// block is YAML in a comment.
var block = regexp.MustCompile(`(?m)(?:^#   .*\n)+`)

// asked returns the plugins and the manifests in the head of an example.
func asked(example string) (plugins string, manifests []string) {
	for _, text := range block.FindAllString(example, -1) {
		text = strings.ReplaceAll("\n"+text, "\n#   ", "\n")
		if items, is := strings.CutPrefix(text, "\nplugins:\n"); is {
			plugins = items
		} else if strings.HasPrefix(text, "\napiVersion:") {
			manifests = append(manifests, text)
		}
	}
	return plugins, manifests
}

// installPermissions installs the controller's permissions, without its Deployment.
func (w *World) installPermissions(t *testing.T, hints string) {
	t.Helper()
	text, err := os.ReadFile("../../deploy/install.yaml")
	require.NoError(t, err)
	all := strings.Split(string(text), "\n---\n")
	parts := slices.DeleteFunc(slices.Clone(all), func(part string) bool { return strings.Contains(part, "\nkind: Deployment\n") })
	require.Len(t, parts, len(all)-1)
	if hints != "" {
		text, err := os.ReadFile("../../deploy/hints/" + hints + ".yaml")
		require.NoError(t, err)
		parts = append(parts, string(text))
	}
	require.NoError(t, w.Define(t.Context(), strings.Join(parts, "\n---\n")))
}

// restartController restarts the controller with these plugins, as its own ServiceAccount, until the test is over.
func (w *World) restartController(t *testing.T, plugins string) {
	t.Helper()
	const name = "frameworkcontroller" // name of the account, and of its namespace
	before := w.plugins
	config := "kubeConfigFilePath: " + clustertest.KubeconfigOf(t, w.Kube, name, name) + "\n"
	require.NoError(t, w.startController(t.Context(), plugins, config))
	t.Cleanup(func() { require.NoError(t, w.StartController(context.Background(), before)) })
}
