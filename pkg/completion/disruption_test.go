package completion

import (
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A Pod whose node is gone is failed first and deleted later. It counts as deleted, unless a rule or a failed container gives a
// better explanation.
func TestDisruptedPodCountsAsDeleted(t *testing.T) {
	gone := &Disruption{Reason: "DeletionByPodGC", Message: "PodGC: node no longer exists"}
	evicted := podOf(running("c"))
	evicted.Reason = "Evicted"
	tests := map[string]struct {
		pod        Pod
		disruption *Disruption
		want       Code
	}{
		"nothing has ended":         {podOf(running("c")), gone, CodePodExternalDeleted},
		"one has ended well":        {podOf(exited("a", 0, 1), running("b")), gone, CodePodExternalDeleted},
		"nothing is known":          {podOf(), gone, CodePodExternalDeleted},
		"another reason":            {podOf(running("c")), &Disruption{Reason: "Rebalanced"}, CodePodExternalDeleted},
		"no reason":                 {podOf(running("c")), &Disruption{}, CodePodExternalDeleted},
		"not disrupted":             {podOf(running("c")), nil, CodePodFailedWithoutFailedContainer},
		"a container has failed":    {podOf(exited("a", 9, 1), running("b")), gone, 9},
		"a rule knows the Pod":      {evicted, &Disruption{Reason: "TerminationByKubelet"}, -1000},
		"a rule knows the code":     {podOf(exited("c", 1, 1)), gone, 300},
		"a container has asked 210": {podOf(exited("c", 210, 1)), gone, CodeContainerPermanentFailed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.pod.Disruption = test.disruption
			got := rulesFrom(t, anyFailure).Classify(test.pod)
			if got.Code != test.want || IsPredefined(got, CodePodExternalDeleted) != (test.want == CodePodExternalDeleted) {
				t.Errorf("got %+v", got)
			}
		})
	}
	pod := podOf(running("c"))
	pod.Disruption = gone
	require.Equal(t, v1.CompletionStatus{
		Code: -101, Phrase: "PodExternalDeleted", Type: v1.CompletionType{Name: v1.CompletionFailed, Attributes: []v1.CompletionTypeAttribute{v1.AttributeTransient}},
		Diagnostics: "Pod was deleted by the Pod garbage collector because its node no longer exists: PodGC: node no longer exists",
		Source:      &v1.CompletionSource{Plugin: "Kubernetes", Rule: "DeletionByPodGC"},
	}, rulesFrom(t, anyFailure).Classify(pod))
}
