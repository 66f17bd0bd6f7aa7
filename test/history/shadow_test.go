package history

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// tomorrow has a plugin and a rule in shadow, which judge the failures of the crowd as permanent.
const tomorrow = `
- {name: tomorrow, kind: FailureClassifier, command: classifier-exitcodes, shadow: true, parameters: {codes: {"7": {phrase: DataMissing, type: {attributes: [Permanent]}}}}}
podFailureSpec:
- {code: 221, phrase: ContainerDataMissing, type: {attributes: [Permanent]}, shadow: true, podPatterns: [{containers: [{codeRange: {min: 7, max: 7}}]}]}
`

// A plugin and a rule in shadow decide nothing, and the history has what they would have decided. A controller that is killed may lose verdicts,
// and never sends one of an attempt that was not.
func TestShadowVerdictsAreRemembered(t *testing.T) {
	s := newSite(t, tomorrow)
	compare := s.record()
	killed := s.framework + "killed"
	s.apply(strings.ReplaceAll(crowd, "NAME", killed))
	for range 4 {
		time.Sleep(time.Second)
		s.replaceController()
	}
	s.await(killed, func(f *v1.Framework) bool { return f.Status != nil && f.Status.State == v1.Completed })

	s.apply(strings.ReplaceAll(crowd, "NAME", s.framework))
	f := s.await(s.framework, func(f *v1.Framework) bool { return f.Status != nil && f.Status.State == v1.Completed })
	require.Equal(t, v1.CompletionSucceeded, f.Status.AttemptStatus.CompletionStatus.Type.Name, "a shadow decides nothing")
	s.awaitRecord(string(f.UID), "Completed")
	all := "/api/v1/shadow/verdicts?namespace=default&name=" + s.framework + "&limit=5"
	clustertest.Eventually(t, patience, func(context.Context) error {
		if n := len(pages[historyapi.ShadowVerdict](s, all)); n != 24 {
			return fmt.Errorf("there are %d verdicts in shadow", n)
		}
		return nil
	})
	for _, v := range pages[historyapi.ShadowVerdict](s, all) {
		require.Equal(t, []any{historyapi.ShadowOtherType, int32(7), int32(0), []string{"Permanent"}}, []any{v.Outcome, v.Decision.Code, v.Attempt, v.Verdict.Attributes})
	}
	require.GreaterOrEqual(t, compare().Shadows, 24)

	row := get[historyapi.ShadowReport](s, "/api/v1/shadow?namespace=default&plugin=tomorrow&name="+killed)
	t.Logf("of 12 verdicts of the plugin on %s, the history has %+v", killed, row.Rows)
	require.Contains(t, s.kubectl("history", s.framework, "--shadow"), "DataMissing")
	require.Regexp(t, "Plugin tomorrow in shadow, of [0-9]+ failures: [0-9]+ with another type", s.kubectl("history", "--shadow"))
	task := s.kubectl("history", s.framework, "worker/3", "--shadow")
	require.Contains(t, task, "in shadow: plugin tomorrow, 7 DataMissing (Permanent)")
	require.Contains(t, task, "in shadow: rule 221, 221 ContainerDataMissing (Permanent)")
	for _, name := range []string{s.framework, killed} {
		require.NoError(t, frameworks.FrameworkControllerV1().Frameworks("default").Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
}
