package plugins

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// started returns a host that runs the plugin of an example in the README as a process.
func started(t *testing.T, command string, parameters map[string]any) *pluginhost.Host {
	t.Helper()
	dir := t.TempDir()
	if output, err := exec.Command("go", "build", "-o", dir+"/"+command, "./"+command).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	host := pluginhost.New(pluginhost.Options{Directory: dir})
	t.Cleanup(host.Stop)
	host.Reload([]pluginhost.Config{{Name: "it", Kind: plugin.Kind(kindOf(shipped[command]())), Command: command, Parameters: parameters}})
	return host
}

// The default configuration as a process behind the real host judges Pods exactly as it does within the controller.
func TestDefaultRulesThroughTheHost(t *testing.T) {
	text, err := os.ReadFile("../example/config/default/frameworkcontroller.yaml")
	require.NoError(t, err)
	var file struct {
		PodFailureSpec []completion.RuleSpec `yaml:"podFailureSpec"`
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	rules, err := completion.Compile(file.PodFailureSpec)
	require.NoError(t, err)
	parameters, err := podverdict.Parameters(file.PodFailureSpec)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(11, 12))
	pods, questions := map[string]completion.Pod{}, []*pluginpb.FailedPod{}
	for i := range 1000 {
		uid := fmt.Sprintf("uid-%d", i)
		pods[uid] = podverdict.Pod(plugintest.RandomPod(r))
		q := podverdict.Question(pods[uid])
		q.Uid = uid
		questions = append(questions, q)
	}
	verdicts, source, err := started(t, "classifier-podpattern", parameters).Classify(t.Context(), "it", questions)
	if err != nil || len(verdicts.Faults) > 0 || source.Version == "" || len(verdicts.Given) < 700 {
		t.Fatalf("%d verdicts, %d faults, by %+v: %v", len(verdicts.Given), len(verdicts.Faults), source, err)
	}
	for uid, v := range verdicts.Given {
		if got, want := podverdict.Status(v), rules.Classify(pods[uid]); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %+v, directly %+v", pods[uid], got, want)
		}
	}
}

func TestPolicyThroughTheHost(t *testing.T) {
	host := started(t, "completion-taskcount", nil)
	task := &pluginpb.CompletedTask{Index: 1, Code: 7, Type: &pluginpb.CompletionType{Name: "Failed"}}
	q := &pluginpb.DecideRequest{Digest: "d", Roles: []*pluginpb.RoleProgress{{Name: "worker", TaskNumber: 2, MinFailedTaskCount: 1, Completed: []*pluginpb.CompletedTask{task}}}}
	a, _, err := host.Decide(t.Context(), "it", q)
	if err != nil || a.GetDecision() != pluginpb.DecideResponse_FAILED || a.GetTrigger().GetTaskIndex() != 1 {
		t.Errorf("%v %v", a, err)
	}
}

func TestHintsThroughTheHost(t *testing.T) {
	host := started(t, "hints-hived", nil)
	q := &pluginpb.HintRequest{
		Framework:  &pluginpb.Framework{Namespace: "default", Name: "train"},
		Parameters: plugintest.Parameters(t, map[string]any{"virtualCluster": "VC1"}),
		Roles:      []*pluginpb.RoleShape{{Name: "worker", TaskNumber: 2, Requests: map[string]string{"nvidia.com/gpu": "1"}}},
	}
	a, _, err := host.Hint(t.Context(), "it", q)
	direct, _ := shipped["hints-hived"]().SchedulerHints.Hint(t.Context(), q)
	if err != nil || len(a.GetPatches()) != 1 || !proto.Equal(a, direct) {
		t.Errorf("%v %v, directly %v", a, err, direct)
	}
}
