package podverdict

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// EarlierOf returns the verdicts on earlier attempts of a Task from its status. Attempts that did not end by a failure
// of their Pods, but for example along with others, are left out, because nobody judges such an end.
func EarlierOf(t *v1.TaskStatus) (list []*pluginpb.EarlierVerdict) {
	for i := range t.EarlierAttempts {
		a := &t.EarlierAttempts[i]
		s := v1.CompletionStatus{Code: a.Code, Phrase: a.Phrase, Type: a.Type}
		if !IsVerdict(s) {
			continue
		}
		v := Earlier(s)
		v.TaskAttemptId, v.Node, v.CompletionTime = a.ID, Text(a.Node), timestamppb.New(a.CompletionTime.Time)
		list = append(list, v)
	}
	return list
}

// PodOfStatus returns a failed Pod with the facts of a status, which has only the name of a container that has not ended.
func PodOfStatus(name string, s *v1.PodCompletionStatus) completion.Pod {
	pod := completion.Pod{Name: name, Reason: s.Reason, Message: s.Message}
	for _, c := range s.Containers {
		pod.Containers = append(pod.Containers, completion.Container{
			Name: c.Name, Terminated: c.Code != 0 || c.Signal != 0 || c.Reason != "",
			Code: c.Code, Signal: c.Signal, Reason: c.Reason, Message: c.Message})
	}
	return pod
}
