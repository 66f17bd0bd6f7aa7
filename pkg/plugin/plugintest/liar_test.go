package plugintest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A liar is a plugin that breaks the contract. A suite must fail on it, in the test meant for that mistake; so the
// suite runs in another process of this test.
type liar struct {
	build   func() plugin.Plugin
	options Options
	caught  string // the test of the suite, and its message
}

const liarVariable = "PLUGINTEST_LIAR"

func TestSuitesCatchLiars(t *testing.T) {
	if os.Getenv(liarVariable) != "" {
		t.Skip("this is the process in which a suite runs on a liar")
	}
	for name, liar := range liars() {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestLiar$", "-test.timeout=1m")
			cmd.Env = append(os.Environ(), liarVariable+"="+name)
			output, err := cmd.CombinedOutput()
			var failed *exec.ExitError
			if !errors.As(err, &failed) {
				t.Fatalf("the suite passed: %v", err)
			}
			test, text, _ := strings.Cut(liar.caught, "|")
			if !strings.Contains(string(output), "--- FAIL: TestLiar/"+test+" ") || !strings.Contains(string(output), text) {
				t.Errorf("not caught by %q with %q:\n%.2000s", test, text, output)
			}
		})
	}
}

// TestLiar is run by TestSuitesCatchLiars.
func TestLiar(t *testing.T) {
	name := os.Getenv(liarVariable)
	if name == "" {
		t.Skip("only for the other process of TestSuitesCatchLiars")
	}
	liar := liars()[name]
	start := InProcess(liar.build)
	switch p := liar.build(); {
	case p.FailureClassifier != nil:
		Classifier(t, start, liar.options)
	case p.CompletionPolicy != nil:
		Policy(t, start, liar.options)
	case p.HistorySink != nil:
		Sink(t, start, liar.options)
	default:
		Hints(t, start, liar.options)
	}
}

func liars() map[string]liar {
	out := map[string]liar{}
	for _, some := range []map[string]liar{describeLiars(), classifierLiars(), policyLiars(), hintsLiars(), sinkLiars()} {
		for name, liar := range some {
			out[name] = liar
		}
	}
	return out
}

func classifier(judge func(*pluginpb.FailedPod) *pluginpb.Verdict) func() plugin.Plugin {
	return func() plugin.Plugin {
		return plugin.Plugin{FailureClassifier: plugin.ClassifierFunc(func(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
			return judge(pod), nil
		})}
	}
}

// pendingJudge gives that verdict on each pending Pod, and none on others.
func pendingJudge(v *pluginpb.Verdict) func() plugin.Plugin {
	return func() plugin.Plugin {
		p := classifier(noOpinion)()
		p.PendingJudge = plugin.PendingJudgeFunc(func(context.Context, *pluginpb.FailedPod) (*pluginpb.Verdict, error) { return v, nil })
		return p
	}
}

// advising gives that advice about the retry of each Pod.
func advising(about func(*pluginpb.Verdict)) func() plugin.Plugin {
	return classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict {
		v := plugin.Verdict(42, "P")
		about(v)
		return v
	})
}

func noOpinion(*pluginpb.FailedPod) *pluginpb.Verdict { return nil }

func describeLiars() map[string]liar {
	var starts atomic.Int32
	return map[string]liar{
		"takes any parameters": {classifier(noOpinion),
			Options{Refused: []Refused{{Parameters: map[string]any{"limit": 1}, Mention: "limit"}}}, "refuses_limit|InvalidArgument"},
		"refuses without saying what": {func() plugin.Plugin {
			p := classifier(noOpinion)()
			p.Configure = func(_ string, s *structpb.Struct) error {
				if s != nil {
					return errors.New("no")
				}
				return nil
			}
			return p
		}, Options{Refused: []Refused{{Parameters: map[string]any{"limit": 1}, Mention: "limit"}}}, "refuses_limit|limit"},
		"has another version each time": {func() plugin.Plugin {
			p := classifier(noOpinion)()
			p.Version = time.Duration(starts.Add(1)).String()
			return p
		}, Options{}, "describes_itself|version"},
	}
}

func classifierLiars() map[string]liar {
	var asked, started atomic.Int32
	return map[string]liar{
		"uses a reserved code": {classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict { return plugin.Verdict(205, "Mine") }),
			Options{}, "answers_what_is_allowed|205 is reserved"},
		"means something else by 210": {classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict { return plugin.Verdict(210, "Mine", plugin.Transient) }),
			Options{}, "answers_what_is_allowed|ContainerPermanentFailed"},
		"forgets the phrase": {classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict { return plugin.Verdict(42, "") }),
			Options{}, "answers_what_is_allowed|phrase"},
		"says that it succeeded": {classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict {
			return &pluginpb.Verdict{Code: 42, Phrase: "P", Type: &pluginpb.CompletionType{Name: "Succeeded"}}
		}), Options{}, "answers_what_is_allowed|Succeeded"},
		"says too much": {classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict {
			v := plugin.Verdict(42, "P")
			v.Diagnostics = strings.Repeat("x", 5000)
			return v
		}), Options{}, "answers_what_is_allowed|too long"},
		"avoids a node for less than no time": {classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict {
			v := plugin.Verdict(42, "P")
			v.AvoidNode = plugin.AvoidNode(-time.Hour, "bad")
			return v
		}), Options{}, "answers_what_is_allowed|avoid_node.seconds must be 1 to 604800, but is -3600"},
		"says too much of a node": {classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict {
			v := plugin.Verdict(42, "P")
			v.AvoidNode = plugin.AvoidNode(time.Hour, strings.Repeat("x", 5000))
			return v
		}), Options{}, "answers_what_is_allowed|avoid_node.reason is too long"},
		"restarts what is not known": {advising(func(v *pluginpb.Verdict) { v.Restart = 4 }),
			Options{}, "answers_what_is_allowed|restart is 4, which is not a known scope"},
		"has a retry wait for less than no time": {advising(func(v *pluginpb.Verdict) { v.DelaySeconds = new(int32(-1)) }),
			Options{}, "answers_what_is_allowed|delay_seconds is -1, and must be from 0 to 86400"},
		"has a retry wait for more than a day": {advising(func(v *pluginpb.Verdict) { v.DelaySeconds = new(int32(86401)) }),
			Options{}, "answers_what_is_allowed|delay_seconds is 86401"},
		"gives up, and has others start again": {advising(func(v *pluginpb.Verdict) {
			v.GiveUpAttempt, v.Restart = true, pluginpb.RestartScope_RESTART_SCOPE_ROLE
		}), Options{}, "answers_what_is_allowed|give_up_attempt excludes a retry of the Task"},
		"gives up, and has the retry wait": {advising(func(v *pluginpb.Verdict) {
			v.GiveUpAttempt, v.DelaySeconds = true, new(int32(0))
		}), Options{}, "answers_what_is_allowed|give_up_attempt excludes a retry of the Task"},
		"counts questions": {classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict { return plugin.Verdict(1000+asked.Add(1), "P") }),
			Options{}, "answers_the_same_again|not the same answer"},
		"depends on the process": {func() plugin.Plugin {
			process := started.Add(1)
			return classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict { return plugin.Verdict(1000+process, "P") })()
		}, Options{}, "answers_the_same_in_a_new_process|not the same answer"},
		"minds unknown fields": {classifier(func(pod *pluginpb.FailedPod) *pluginpb.Verdict {
			if len(pod.ProtoReflect().GetUnknown()) > 0 {
				return plugin.Verdict(42, "P")
			}
			return nil
		}), Options{}, "ignores_unknown_fields|not the same answer"},
		"has no opinion where it should": {classifier(noOpinion), Options{Pods: []*pluginpb.FailedPod{{Name: "known"}}},
			"has_the_opinions_it_should|none on Pods[0], known"},
		"does not bear odd Pods": {func() plugin.Plugin {
			return plugin.Plugin{FailureClassifier: plugin.ClassifierFunc(func(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
				if pod.GetFramework() == nil {
					return nil, status.Error(codes.InvalidArgument, "no Framework")
				}
				return nil, nil
			})}
		}, Options{}, "answers_what_is_allowed|no Framework"},
		"waits for ever": {pendingJudge(&pluginpb.Verdict{WaitSeconds: 1 << 30}), Options{}, "answers_what_is_allowed|wait_seconds is 1073741824"},
		"waits, and gives up": {pendingJudge(&pluginpb.Verdict{Code: 42, Phrase: "P", Type: plugin.Failed(), WaitSeconds: 5}),
			Options{}, "answers_what_is_allowed|it has code 42 and wait_seconds 5"},
		"lets a Pod wait that has failed": {classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict { return plugin.Wait(time.Minute) }),
			Options{}, "answers_what_is_allowed|only a Pod that has not started to run may take longer"},
		"is slow": {classifier(func(*pluginpb.FailedPod) *pluginpb.Verdict { time.Sleep(time.Second); return nil }),
			Options{Timeout: 50 * time.Millisecond}, "answers_what_is_allowed|DeadlineExceeded"},
	}
}

func policy(answer func(*pluginpb.DecideRequest) *pluginpb.DecideResponse) func() plugin.Plugin {
	return func() plugin.Plugin {
		return plugin.Plugin{CompletionPolicy: plugin.PolicyFunc(func(_ context.Context, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
			return answer(q), nil
		})}
	}
}

func policyLiars() map[string]liar {
	return map[string]liar{
		"invents a trigger": {policy(func(*pluginpb.DecideRequest) *pluginpb.DecideResponse {
			return &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_SUCCEEDED, Trigger: &pluginpb.Trigger{TaskRole: "worker", TaskIndex: 77}}
		}), Options{}, "answers_what_is_allowed|trigger"},
		"fails without a code": {policy(func(*pluginpb.DecideRequest) *pluginpb.DecideResponse {
			return &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_FAILED}
		}), Options{}, "answers_what_is_allowed|a failure without a trigger must have a code"},
		"invents a decision": {policy(func(*pluginpb.DecideRequest) *pluginpb.DecideResponse { return &pluginpb.DecideResponse{Decision: 9} }),
			Options{}, "answers_what_is_allowed|decision 9"},
		"has no opinion where it should": {policy(func(*pluginpb.DecideRequest) *pluginpb.DecideResponse { return nil }),
			Options{Attempts: []*pluginpb.DecideRequest{{}}}, "has_the_opinions_it_should|none on Attempts[0]"},
	}
}

func hints(answer func(*pluginpb.HintRequest) *pluginpb.HintResponse) func() plugin.Plugin {
	return func() plugin.Plugin {
		return plugin.Plugin{SchedulerHints: plugin.HintsFunc(func(_ context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
			return answer(q), nil
		})}
	}
}

// patching answers with one patch for each role.
func patching(change func(*pluginpb.PodPatch)) func() plugin.Plugin {
	return hints(func(q *pluginpb.HintRequest) *pluginpb.HintResponse {
		a := &pluginpb.HintResponse{}
		for _, role := range q.GetRoles() {
			patch := &pluginpb.PodPatch{TaskRole: role.GetName()}
			change(patch)
			a.Patches = append(a.Patches, patch)
		}
		return a
	})
}

func object(text string) func() plugin.Plugin {
	return hints(func(*pluginpb.HintRequest) *pluginpb.HintResponse {
		return &pluginpb.HintResponse{Objects: []*pluginpb.Object{{Json: []byte(text)}}}
	})
}

func hintsLiars() map[string]liar {
	shape := Options{Shapes: []*pluginpb.HintRequest{{Framework: &pluginpb.Framework{Name: "f", AttemptId: 7}}}}
	return map[string]liar{
		"patches an unknown role":      {patching(func(p *pluginpb.PodPatch) { p.TaskRole += "s" }), Options{}, "answers_what_is_allowed|there is no role"},
		"patches an unknown container": {patching(func(p *pluginpb.PodPatch) { p.Containers = []*pluginpb.ContainerPatch{{Name: "x"}} }), Options{}, "answers_what_is_allowed|there is no container"},
		"sets the controller's label":  {patching(func(p *pluginpb.PodPatch) { p.Labels = map[string]string{"FC_TASK_INDEX": "1"} }), Options{}, "answers_what_is_allowed|FC_TASK_INDEX is set by the controller"},
		"writes bad tolerations":       {patching(func(p *pluginpb.PodPatch) { p.TolerationsJson = []byte("{}") }), Options{}, "answers_what_is_allowed|tolerations_json"},
		"writes bad affinity":          {patching(func(p *pluginpb.PodPatch) { p.AffinityJson = []byte("[") }), Options{}, "answers_what_is_allowed|affinity_json"},
		"writes a bad spec":            {patching(func(p *pluginpb.PodPatch) { p.SpecJson = []byte("3") }), Options{}, "answers_what_is_allowed|spec"},
		"writes a bad environment": {patching(func(p *pluginpb.PodPatch) {
			p.Containers = []*pluginpb.ContainerPatch{{EnvJson: []byte(`[{"value":"x"}]`)}}
		}), Options{}, "answers_what_is_allowed|env_json"},
		"writes a bad quantity": {patching(func(p *pluginpb.PodPatch) {
			p.Containers = []*pluginpb.ContainerPatch{{Limits: map[string]string{"cpu": "many"}}}
		}), Options{}, "answers_what_is_allowed|many"},
		"says too much for the status":   {patching(func(p *pluginpb.PodPatch) { p.Annotations = map[string]string{"a": strings.Repeat("x", 70_000)} }), Options{}, "answers_what_is_allowed|can be stored"},
		"has an object without kind":     {object(`{"apiVersion":"v1","metadata":{"name":"f-7"}}`), shape, "answers_what_is_allowed|kind"},
		"has an object of every attempt": {object(`{"apiVersion":"v1","kind":"K","metadata":{"name":"f-0-1-2"}}`), Options{Shapes: []*pluginpb.HintRequest{{}}}, "names_objects_after_the_attempt|both have an object"},
		"has an object without attempt":  {object(`{"apiVersion":"v1","kind":"K","metadata":{"name":"f"}}`), shape, "answers_what_is_allowed|does not contain the attempt id 7"},
		"has no opinion where it should": {hints(func(*pluginpb.HintRequest) *pluginpb.HintResponse { return nil }), shape,
			"has_the_opinions_it_should|none on Shapes[0]"},
	}
}
