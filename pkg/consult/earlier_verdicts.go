package consult

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// EarlierVerdicts returns the verdicts on earlier attempts of a Task from its status. Attempts that did not end by a failure
// of their Pods, but for example along with others, are left out: nobody judges those.
func EarlierVerdicts(t *v1.TaskStatus) (list []*pluginpb.EarlierVerdict) {
	for i := range t.EarlierAttempts {
		a := &t.EarlierAttempts[i]
		s := v1.CompletionStatus{Code: a.Code, Phrase: a.Phrase, Type: a.Type}
		if !podverdict.IsVerdict(s) {
			continue
		}
		v := podverdict.Earlier(s)
		v.TaskAttemptId, v.Node, v.CompletionTime = a.ID, podverdict.Text(a.Node), timestamppb.New(a.CompletionTime.Time)
		list = append(list, v)
	}
	return list
}
