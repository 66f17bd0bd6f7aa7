package controller

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// A proxy, or an API server that does not know the CRD yet, may say of a Framework that it is not there.
func TestFrameworkIsNotFoundOnce(t *testing.T) {
	t.Parallel()
	notFound := apitest.Refuse(http.StatusNotFound, metav1.StatusReasonNotFound, "404 page not found")
	t.Run("new", func(t *testing.T) {
		t.Parallel()
		w := startWorld(t)
		w.Inject("get frameworks", 1, notFound)
		w.create("a")
		w.reaches("a", v1.AttemptPreparing)
	})
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		w := startWorld(t)
		w.running("a")
		w.Inject("get frameworks", 1, notFound)
		w.stopFramework("a")
		w.reaches("a", v1.Completed)
	})
}

// That a Framework makes no sense is told until it is stored.
func TestInvalidFrameworkIsReportedAgain(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Inject("patch frameworks/status", 1, apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcd: leader changed"))
	w.create("a", func(s *v1.FrameworkSpec) { s.TaskRoles[0].Name = "" })
	w.eventually("the condition is stored", func() bool { return w.condition("a", v1.ConditionStatusInvalid) != "" })
}

// silentJudge is a classifier without opinions.
type silentJudge struct{ consult.Host }

func (silentJudge) Plugins(kind plugin.Kind) []string {
	if kind == plugin.KindFailureClassifier {
		return []string{"judge"}
	}
	return nil
}

func (silentJudge) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: "judge", Kind: plugin.KindFailureClassifier}, name == "judge"
}

func (silentJudge) JudgesPending(string) bool { return false }
func (silentJudge) WantsEvents(string) bool   { return false }

func (silentJudge) Classify(context.Context, string, []*pluginpb.FailedPod) (pluginhost.Verdicts, pluginhost.Source, error) {
	return pluginhost.Verdicts{}, pluginhost.Source{}, nil
}

// The answer to a creation is lost, the watch lags, and the Pod has failed by the time it is found by asking. It is judged
// by what was found, not by what the watch shows of its beginnings.
func TestFailedPodIsNewerThanTheCache(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith(silentJudge{})
	w.create("a", tasks(0))
	w.reaches("a", v1.AttemptPreparing)
	w.Hold(apitest.Pods)
	w.Inject("create pods", 1, apitest.LoseAnswer)
	w.respec("a", tasks(1))
	w.eventually("the Pod is there", func() bool { return w.Get(apitest.Pods, "a-w-0") != nil })
	created, err := strconv.ParseInt(w.Get(apitest.Pods, "a-w-0").GetResourceVersion(), 10, 64)
	require.NoError(t, err)
	w.EndPod("a-w-0", 7)
	w.taskReaches("a", "w", 0, v1.AttemptCreationRequested)
	w.HoldAt(apitest.Pods, created)
	w.eventually("the Pod is judged", func() bool { return w.task("a", "w", 0).AttemptStatus.CompletionStatus != nil })
	w.Release(apitest.Pods)
	if s := w.task("a", "w", 0).AttemptStatus.CompletionStatus; s.Code != 7 {
		t.Errorf("code %d %s of %+v", s.Code, s.Phrase, s.Pod)
	}
}
