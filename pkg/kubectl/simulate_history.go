package kubectl

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"google.golang.org/protobuf/encoding/protojson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// fromHistory is the value of --from that reads the history server instead of a file.
const fromHistory = "history"

// pastFailures reads the failures that the history has, with the questions as they were asked.
func (s *simulating) pastFailures(ctx context.Context) (*saved, error) {
	p, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	owners := owners{past: p, known: map[string]*stored{}}
	found := &saved{}
	_, err = p.Verdicts(ctx, p.filter(), 0, func(v historyapi.Verdict) error {
		f, err := pastFailure(&v)
		if err != nil {
			found.unread = append(found.unread, fmt.Sprintf("%s/%s %s: %v", v.Namespace, v.FrameworkName, explain.TaskName(v.Role, v.Index), err))
			return nil
		}
		if s.plugin != "" { // the rules do not read the Framework
			err = owners.complete(ctx, f)
		}
		found.judged = append(found.judged, f)
		return err
	})
	if err != nil {
		return nil, p.inPlainWords(err)
	}
	return found, nil
}

var errNoQuestion = errors.New("it is not a question of the plugin contract")

// pastFailure returns the failure that a verdict is about.
func pastFailure(v *historyapi.Verdict) (*failure, error) {
	asked := &pluginpb.FailedPod{}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(v.Judgment.Question, asked); err != nil {
		return nil, errNoQuestion // the words of protobuf differ from build to build
	}
	was := v1.CompletionStatus{Code: v.Decision.Code, Phrase: v.Decision.Phrase, Diagnostics: v.Decision.Diagnostics, Type: typeOfHistory(v.Decision.Type, v.Decision.Attributes)}
	if d := v.Decision; d.Plugin != "" {
		was.Source = &v1.CompletionSource{Plugin: d.Plugin, Version: d.PluginVersion, Rule: d.Rule}
	}
	task := &v1.TaskStatus{
		Index: v.Index, InstanceUID: v.TaskUID,
		AttemptStatus: v1.TaskAttemptStatus{
			ID: v.Attempt, PodName: asked.GetName(), PodUID: new(types.UID(asked.GetUid())), PodNodeName: new(asked.GetNode()),
			CompletionTime:   new(metav1.NewTime(v.Time)),
			CompletionStatus: &v1.TaskAttemptCompletionStatus{CompletionStatus: was, Pod: &v1.PodCompletionStatus{}},
		},
	}
	for _, e := range asked.GetEarlier() {
		task.EarlierAttempts = append(task.EarlierAttempts, v1.EarlierTaskAttempt{
			ID: e.GetTaskAttemptId(), Code: e.GetCode(), Phrase: e.GetPhrase(), Type: typeOfHistory(e.GetType().GetName(), e.GetType().GetAttributes()), Node: e.GetNode(),
			CompletionTime: metav1.NewTime(e.GetCompletionTime().AsTime()),
		})
	}
	return &failure{
		owner:   &metav1.ObjectMeta{Namespace: v.Namespace, Name: v.FrameworkName, UID: types.UID(v.FrameworkUID)},
		attempt: v.FrameworkAttempt, role: v.Role, task: task, asked: asked,
	}, nil
}

func typeOfHistory(name string, attributes []string) v1.CompletionType {
	out := v1.CompletionType{Name: v1.CompletionTypeName(name)}
	for _, a := range attributes {
		out.Attributes = append(out.Attributes, v1.CompletionTypeAttribute(a))
	}
	return out
}

// owners reads the Frameworks of failures, each once.
type owners struct {
	past  *past
	known map[string]*stored // by UID; nil for a Framework that the history does not have
}

// complete adds the facts of a question beside the Pod: labels and annotations of the Framework, and its choice of plugins.
func (o owners) complete(ctx context.Context, f *failure) error {
	uid := string(f.owner.UID)
	of, known := o.known[uid]
	if !known {
		text, err := o.past.FrameworkObject(ctx, f.owner.Namespace, f.owner.Name, uid)
		var refusal *historyclient.Refusal
		switch {
		case errors.As(err, &refusal) && refusal.Status == http.StatusNotFound:
		case err != nil:
			return err
		default:
			if of, err = parse(text); err != nil {
				return err
			}
		}
		o.known[uid] = of
	}
	if of != nil && of.broken == nil {
		f.owner, f.uses = &of.ObjectMeta, of.Spec.Plugins
	}
	return nil
}
