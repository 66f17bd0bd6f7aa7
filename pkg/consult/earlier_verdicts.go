package consult

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// maxEarlier is how many earlier verdicts a question has.
const maxEarlier = 16

// EarlierVerdicts are those on earlier attempts of one instance of a Task, as far as this process has heard them. They are
// not changed any more; the zero value has none.
type EarlierVerdicts struct {
	task string // instance UID
	list []*pluginpb.EarlierVerdict
}

// Before returns the verdicts on attempts before the one that the Task is in; none if they are on another instance.
func (e EarlierVerdicts) Before(t *v1.TaskStatus) []*pluginpb.EarlierVerdict {
	if e.task != t.InstanceUID {
		return nil
	}
	n := len(e.list)
	for n > 0 && e.list[n-1].GetTaskAttemptId() >= t.AttemptStatus.ID {
		n--
	}
	return e.list[:n]
}

// With returns them and the verdict on the attempt that the Task is in, for questions about later ones.
func (e EarlierVerdicts) With(t *v1.TaskStatus, s v1.CompletionStatus, now time.Time) EarlierVerdicts {
	v := podverdict.Earlier(s)
	v.TaskAttemptId, v.CompletionTime = t.AttemptStatus.ID, timestamppb.New(now)
	if node := t.AttemptStatus.PodNodeName; node != nil {
		v.Node = *node
	}
	// A list of its own: questions under way have the one before.
	list := append([]*pluginpb.EarlierVerdict(nil), e.Before(t)...)
	list = append(list, v)
	return EarlierVerdicts{t.InstanceUID, list[max(0, len(list)-maxEarlier):]}
}
