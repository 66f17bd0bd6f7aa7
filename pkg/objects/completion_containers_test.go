package objects_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// A Pod lists the containers that complete it if its role has any, and ignores such a list in its template.
func TestCompletionContainers(t *testing.T) {
	for _, template := range []string{`{}`, `{"metadata": {"annotations": {"FC_COMPLETION_CONTAINERS": "x"}}}`} {
		for _, names := range [][]string{nil, {"main"}, {"main", "log"}} {
			builder := objects.NewPodBuilderWith(demoTask.RoleName, []byte(template), objects.Additions{CompletionContainers: names})
			text, err := builder.Build(demoTask)
			require.NoError(t, err)
			var pod metav1.PartialObjectMetadata
			require.NoError(t, json.Unmarshal(text, &pod))
			require.Equal(t, names, objects.CompletionContainers(&pod), template)
		}
	}
}
