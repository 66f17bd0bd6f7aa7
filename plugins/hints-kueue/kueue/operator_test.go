package kueue

import (
	"context"
	"errors"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

// oneHost runs this plugin in process, with numbers for one class.
type oneHost struct{ consult.Host }

func (oneHost) Plugins(kind plugin.Kind) []string {
	if kind == plugin.KindSchedulerHints {
		return []string{"kueue"}
	}
	return nil
}

func (oneHost) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: "kueue", Kind: plugin.KindSchedulerHints, Parameters: map[string]any{
		"workloadPriorities": map[string]any{"prod": 10000.0}, "priorities": map[string]any{},
	}}, name == "kueue"
}

func (oneHost) FrameworkParameters(context.Context, string) ([]string, error) {
	return New().FrameworkParameters, nil
}

func (oneHost) Hint(ctx context.Context, _ string, q *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	answer, err := New().SchedulerHints.Hint(ctx, q)
	return answer, pluginhost.Source{Plugin: "kueue"}, err
}

// Only the operator may set the number of a priority and the nodes of a flavor: the controller creates Workloads with its own rights, and
// an author who could set any number could preempt everybody.
func TestAuthorSetsNoPriority(t *testing.T) {
	for parameters, refused := range map[string]string{
		`{"workloadPriorities": {"vip": 2147483647}}`:          `"workloadPriorities"`,
		`{"priorities": {"vip": 2147483647}}`:                  `"priorities"`,
		`{"flavors": {"default": {}}, "queue": "research"}`:    `"flavors"`,
		`{"queue": "research", "partialAdmission": false}`:     "",
		`{"queue": "research", "maxPodSets": 18}`:              "",
		`{"workloadPriorities": {"prod": 1}, "queue": "mine"}`: `"workloadPriorities"`,
	} {
		class := "prod"
		if strings.Contains(parameters, "vip") {
			class = "vip"
		}
		q := hintstory.Training(t, 4, nil, &pluginpb.Scheduling{PriorityClassName: class})
		uses := []v1.PluginUse{{Name: "kueue", Parameters: []byte(parameters)}}
		h, err := consult.New(oneHost{}, nil).Hints(t.Context(), uses, "", q, nil, func(string, error) {})
		if refused != "" {
			refusal := new(consult.Refusal)
			if !errors.As(err, &refusal) || !strings.Contains(refusal.Reason, refused) {
				t.Errorf("%s: %v, %v", parameters, h, err)
			}
			continue
		}
		decoded, decodeErr := consult.DecodeHints(h)
		if err != nil || decodeErr != nil || len(decoded.Answer.GetObjects()) != 1 {
			t.Fatalf("%s: %v, %v", parameters, err, decodeErr)
		}
		if got := outline(t, decoded.Answer.GetObjects()[0]); !strings.HasPrefix(got, "train-2 in research, WorkloadPriorityClass prod 10000") {
			t.Errorf("%s: %s", parameters, got)
		}
	}
}
