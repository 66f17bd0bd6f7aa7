package lifecycle

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Disruption is the condition DisruptionTarget of one Pod.
type Disruption struct {
	// PodUID identifies the Pod; a disruption of any other Pod is ignored.
	PodUID types.UID
	completion.Disruption
}

// takeAway decides an attempt whose Pod others delete, with the Pod's own explanation if it has one, otherwise with ours.
func (t task) takeAway(otherwise string) {
	s := completion.Predefined(completion.CodePodExternalDeleted, otherwise)
	if d := t.view().Disruption; d != nil && d.PodUID == *t.status().AttemptStatus.PodUID {
		s = d.Status()
	}
	t.decide(v1.TaskAttemptCompletionStatus{CompletionStatus: s})
}
