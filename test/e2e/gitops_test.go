package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// GitOps tools mark their objects by labels and annotations, and prune objects that have the mark and are not in Git.
func TestMarksOfToolsAreNotCopied(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.kubectl("apply", "-f", s.file(`apiVersion: frameworkcontroller.microsoft.com/v1
kind: Framework
metadata:
  name: marked
  labels: {app.kubernetes.io/instance: app, kustomize.toolkit.fluxcd.io/name: app}
  annotations: {argocd.argoproj.io/tracking-id: "app:frameworkcontroller.microsoft.com/Framework:default/marked"}
spec: `+gangOf(names, keys)))
	s.awaitAllRunning("marked", 4)
	made := s.kubectl("get", "pods,configmaps,services,secrets", "-l", "FC_FRAMEWORK_NAME=marked", "-o", "json")
	require.NotContains(t, made, "app.kubernetes.io/instance")
	require.NotContains(t, made, "fluxcd")
	require.NotContains(t, made, "argocd")
	var list struct{ Items []struct{ Kind string } }
	require.NoError(t, json.Unmarshal([]byte(made), &list))
	kinds := map[string]int{}
	for _, item := range list.Items {
		kinds[item.Kind]++
	}
	require.Equal(t, map[string]int{"Pod": 4, "ConfigMap": 1, "Service": 1, "Secret": 1}, kinds)
}
