package controller

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// wordy is the plugin of a scheduler with long answers, either in its hints or when it admits an attempt.
type wordy struct {
	adviser
	hints, admission int // bytes of a patch
}

func (s wordy) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	return &pluginpb.HintResponse{Wait: true, Patches: patchOf(s.hints)}, adviserSource, nil
}

func (s wordy) MayCreate(context.Context, string, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	return &pluginpb.MayCreateResponse{Yes: true, Patches: patchOf(s.admission)}, adviserSource, nil
}

func patchOf(bytes int) []*pluginpb.PodPatch {
	return []*pluginpb.PodPatch{{TaskRole: "w", Annotations: map[string]string{"a": strings.Repeat("x", bytes)}}}
}

// refuseLarge has the storage refuse statuses with which the object of a Framework of that spec would be too large.
func (w *world) refuseLarge(spec any) {
	text, _ := json.Marshal(spec)
	w.Judge(func(q apitest.Request) apitest.Fault {
		if q.String() == "update frameworks/status a" {
			if body, _ := json.Marshal(q.Body); len(body)+len(text) > statusjson.StorageBytes {
				return apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcdserver: request is too large")
			}
		}
		return apitest.Fault{}
	})
}

// Hints or an admission that do not fit into the object are refused: the condition reports it, with the bytes, without further
// writes. A smaller spec makes the controller ask again.
func TestHintsThatDoNotFit(t *testing.T) {
	const left = 50_000
	for name, s := range map[string]wordy{
		"hints":        {hints: 60_000},
		"an admission": {hints: 1000, admission: 45_000},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				s.adviser = adviser{plugin.KindSchedulerHints}
				w.refuseLarge(framework(t, "a", room(left)).Object["spec"])
				w.startWith(s)
				w.create("a", room(left))
				w.conditionBecomes("a", v1.ConditionWaiting, "True because HintsRefused")
				message := waitingMessage(w.status("a"))
				if !strings.Contains(message, "bytes") || !strings.Contains(message, adviserName) {
					t.Errorf("it waits for %q", message)
				}
				writes := len(w.Requests(statusWrites))
				time.Sleep(10 * time.Minute)
				if n := len(w.Requests(statusWrites)) - writes; n > 0 {
					t.Errorf("%d status writes in which nothing is new", n)
				}
				if got := waitingMessage(w.status("a")); got != message {
					t.Errorf("it waits for %q, and then for %q", message, got)
				}
				if pods := w.List(apitest.Pods); len(pods) > 0 {
					t.Errorf("%d Pods", len(pods))
				}
				w.Judge(nil)
				w.respec("a")
				w.taskReaches("a", "w", 0, v1.AttemptPreparing)
				w.notWaiting("a")
			})
		})
	}
}

// Hints that fit leave room for the life of the attempt.
func TestHintsThatJustFit(t *testing.T) {
	inBubble(t, func(w *world) {
		const left = 50_000
		w.refuseLarge(framework(t, "a", room(left)).Object["spec"])
		w.startWith(wordy{adviser{plugin.KindSchedulerHints}, 35_000, 0})
		w.create("a", room(left))
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		w.RunPod("a-w-0")
		w.EndPod("a-w-0", 1)
		w.reaches("a", v1.Completed)
	})
}
