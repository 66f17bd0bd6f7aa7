package kubectl

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// A plugin gets the original question, with the Framework's data from the history; the Framework may have disabled the plugin.
func TestQuestionsOfTheHistory(t *testing.T) {
	server := httptest.NewServer(pastServer{t})
	t.Cleanup(server.Close)
	withoutCluster(t)
	flags := historyFlags{caller: &caller{flags: genericclioptions.NewConfigFlags(true)}, url: server.URL, allNamespaces: true}
	s := &simulating{historyFlags: flags, plugin: "classifier", from: fromHistory}
	found, err := s.pastFailures(t.Context())
	require.NoError(t, err)
	require.Len(t, found.unread, 1)
	failures := found.failures()
	require.Len(t, failures, 4)
	for _, f := range failures {
		q := f.question()
		require.Equal(t, f.owner.Name+"-"+f.role+"-", q.Question.GetName()[:len(q.Question.GetName())-1])
		require.Equal(t, "node-a", q.Question.GetNode())
		require.Equal(t, f.owner.Name == "train", len(f.uses) == 1 && f.uses[0].Disabled)
		require.Equal(t, f.owner.Annotations, q.Question.GetFramework().GetAnnotations())
		require.True(t, q.Outcome.Containers[0].Terminated)
	}
	require.Equal(t, []int32{0, 0, 0, 1}, []int32{failures[0].task.AttemptStatus.ID, failures[1].task.AttemptStatus.ID, failures[2].task.AttemptStatus.ID, failures[3].task.AttemptStatus.ID})
	require.EqualValues(t, 7, failures[3].task.EarlierAttempts[0].Code)

	host := pluginhost.New(pluginhost.Options{})
	t.Cleanup(host.Stop)
	j := &judge{panel: consult.New(host, nil), keeps: true, skipped: map[string]int{}}
	for f, judgment := range j.all(t.Context(), failures) {
		require.Equal(t, f.was(), judgment.Status, "nobody has an opinion")
	}
	_, err = pastFailure(&historyapi.Verdict{Judgment: historyapi.Judgment{Question: []byte(`[]`)}})
	require.Error(t, err)
	require.Equal(t, metav1.ObjectMeta{Namespace: "other", Name: "eval", UID: "eval-uid"}, *failures[1].owner, "the history has no object of it")
}
