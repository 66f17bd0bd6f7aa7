package consult_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

func pendingPod() consult.FailedPod {
	p := consult.FailedPod{Question: &pluginpb.FailedPod{Uid: "p"}}
	return p.WithPending(deadline.Pending{Kind: plugin.ImagePull, Since: metav1.Unix(5, 0), Deadline: time.Unix(65, 0),
		Reason: "ErrImagePull", Message: "not \xff found", Container: "main"})
}

// The question has the obstacle that keeps a Pod from running, and only texts that can be sent.
func TestPendingQuestion(t *testing.T) {
	q := pendingPod().Question.GetPending()
	want := &pluginpb.PendingPod{Kind: "ImagePull", Reason: "ErrImagePull", Message: "not \ufffd found", Container: "main"}
	if q.GetKind() != want.Kind || q.GetReason() != want.Reason || q.GetMessage() != want.Message || q.GetContainer() != want.Container ||
		q.GetSince().GetSeconds() != 5 || q.GetDeadline().GetSeconds() != 65 {
		t.Errorf("got %v", q)
	}
	none := consult.FailedPod{Question: &pluginpb.FailedPod{}}.WithPending(deadline.Pending{Kind: plugin.NotRunning})
	if none.Question.GetPending().Deadline != nil {
		t.Error("there is no deadline, and one is told")
	}
}

// Only plugins that judge Pods which do not get to run are asked about them. The first opinion counts; without any the deadline
// decides, and not the rules for failed Pods.
func TestJudgePending(t *testing.T) {
	old := classifier("old", 1000) // was made before there were such questions
	judging := func(name string, code, wait int32) opinion {
		o := classifier(name, code)
		o.judges, o.wait = true, wait
		return o
	}
	none := judging("none", 0, 0)
	for _, test := range []struct {
		name     string
		opinions []opinion
		asked    []string
		want     consult.Judgment // without the status
		code     int32
	}{
		{"nobody judges", []opinion{old}, nil, consult.Judgment{NoOpinion: true}, 0},
		{"no opinion", []opinion{old, none}, []string{"none"}, consult.Judgment{NoOpinion: true}, 0},
		{"gives up", []opinion{old, none, judging("a", 7, 0), judging("b", 8, 0)}, []string{"none", "a"}, consult.Judgment{}, 7},
		{"waits", []opinion{old, judging("a", 0, 60), judging("b", 8, 0)}, []string{"a"}, consult.Judgment{Wait: time.Minute}, 0},
		{"waits for a moment", []opinion{judging("a", 0, 1)}, []string{"a"}, consult.Judgment{Wait: 10 * time.Second}, 0},
		{"broken", []opinion{broken(judging("a", 7, 0), pluginhost.Fallback)}, []string{"a", "without a"}, consult.Judgment{NoOpinion: true}, 0},
		{"refuses", []opinion{refusing(judging("a", 7, 0), "parameter x", pluginhost.Fallback)}, []string{"a", "without a", "parameter x"}, consult.Judgment{NoOpinion: true}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &host{opinions: test.opinions}
			p := consult.New(h, nil)
			got := p.Classify(t.Context(), nil, []consult.FailedPod{pendingPod()}, h.skip)["p"]
			if got.Status.Code != test.code || got.Wait != test.want.Wait || got.NoOpinion != test.want.NoOpinion || got.Err != nil {
				t.Errorf("got %+v", got)
			}
			if !slices.Equal(h.asked, test.asked) {
				t.Errorf("asked %q, want %q", h.asked, test.asked)
			}
			judges := slices.ContainsFunc(test.opinions, func(o opinion) bool { return o.judges })
			if p.Asking(nil).Start != judges || p.JudgePending() != judges {
				t.Errorf("asking %+v", p.Asking(nil))
			}
		})
	}
}

// A plugin with policy Wait holds the deadline back, unless it does not judge such Pods.
func TestJudgePendingWaits(t *testing.T) {
	o := broken(classifier("a", 7), pluginhost.Wait)
	for _, judges := range []bool{false, true} {
		o.judges = judges
		h := &host{opinions: []opinion{o}}
		got := consult.New(h, nil).Classify(t.Context(), nil, []consult.FailedPod{pendingPod()}, h.skip)["p"]
		if waiting := new(consult.Waiting); errors.As(got.Err, &waiting) != judges || got.NoOpinion == judges {
			t.Errorf("judges %t: %+v", judges, got)
		}
	}
}

// Pods of both kinds may be in one question. A plugin that only judges failed ones is asked about the failed ones.
func TestPendingAmongFailed(t *testing.T) {
	h := &host{opinions: []opinion{classifier("old", 1000)}}
	got := consult.New(h, nil).Classify(t.Context(), nil, []consult.FailedPod{failed(), pendingPod()}, h.skip)
	if got["u"].Status.Code != 1000 || !got["p"].NoOpinion || len(h.pods) != 1 {
		t.Errorf("%+v, asked about %d", got, len(h.pods))
	}
}

// Without plugins, no question is asked.
func TestNobodyJudgesPending(t *testing.T) {
	if (*consult.Panel)(nil).JudgePending() || (*consult.Panel)(nil).Asking(nil).Start {
		t.Error("there are no plugins, and they are asked")
	}
}
