package nativegangs

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// While the feature gate is off, no Pod is created that would be placed by itself, and the Framework reports what is missing. The same
// happens if the parameters set a form of the API.
func TestFeatureGateIsOff(t *testing.T) {
	s := off.NewStory(t)
	requireOut := func(name, reason, says string) {
		t.Helper()
		s.AwaitWaiting(name, says)
		s.StaysBound(name, 0, 0)
		f := s.Await(name, "waiting", func(f *v1.FrameworkStatus) bool { return gangs.Waiting(f) != "" })
		require.Equal(t, reason, meta.FindStatusCondition(f.Conditions, v1.ConditionWaiting).Reason)
		t.Log(gangs.Waiting(f))
	}
	s.Create("gang", gangs.Spec(gangs.Role("worker", 2)))
	requireOut("gang", "HintsRefused", "the cluster does not serve scheduling.k8s.io in a version with Workloads")

	s.Create("insists", gangs.With("plugins: [{name: workload, parameters: {form: v1beta1}}]", gangs.Spec(gangs.Role("worker", 2))))
	requireOut("insists", "HintsObjectsFailed", "scheduling.k8s.io/v1beta1")
}
