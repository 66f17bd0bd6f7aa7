package records

import (
	"path"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Seen has the facts about the objects of an attempt that are not stored.
type Seen interface {
	// Pod returns the facts about the Pod with that UID; nil if unknown.
	Pod(ref lifecycle.TaskRef, uid types.UID) *Pod
	// Deletion returns why the controller deleted that Pod; zero if it did not, or if that is not known.
	Deletion(ref lifecycle.TaskRef, uid types.UID) reason.Cause
	// Judged returns the question about that Pod; nil if it is not known.
	Judged(ref lifecycle.TaskRef, uid types.UID) *Judged
	// Stored reports whether sinks hold the records of that attempt of the Task, so that they need not be made again.
	Stored(ref lifecycle.TaskRef, uid string, attempt int32) bool
}

// Attempt returns the records of an attempt of the Framework that is stored as completed: for each Task, for the attempt itself, and
// for the Framework.
func Attempt(of Subject, s *lifecycle.State, seen Seen) []*pluginpb.Record {
	var all []lifecycle.TaskRef
	for ref := range s.Tasks {
		all = append(all, ref)
	}
	return append(append(Tasks(of, s, all, seen), attempt(of, s)), Framework(of, s)...)
}

// Tasks returns the records of the ended ones among the current attempts of some Tasks. Each attempt has one, and so has each judgment that
// ended an attempt. The objects of the Pods come before the attempts that refer to them, and equal ones occur once.
func Tasks(of Subject, s *lifecycle.State, some []lifecycle.TaskRef, seen Seen) (out []*pluginpb.Record) {
	known := map[object]bool{}
	for _, ref := range some {
		r := Task(of, s, ref, seen)
		if r == nil || seen.Stored(ref, r.GetTaskAttempt().GetTaskUid(), r.GetTaskAttempt().GetTaskAttemptId()) {
			continue
		}
		if uid := s.Task(ref).AttemptStatus.PodUID; uid != nil {
			if pod := seen.Pod(ref, *uid); pod != nil && !known[pod.object] {
				known[pod.object] = true
				if o := pod.Object(of, r.GetFramework().GetAttemptId(), r.GetTaskAttempt().GetPodName(), r.GetTime().AsTime()); o != nil {
					out = append(out, o)
				}
			}
		}
		out = append(out, r)
		if v := Verdict(of, s, ref, seen); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// Task returns the record of the current attempt of a Task; nil if it has not ended.
func Task(of Subject, s *lifecycle.State, ref lifecycle.TaskRef, seen Seen) *pluginpb.Record {
	t := s.Task(ref)
	if t == nil || t.AttemptStatus.CompletionTime == nil || t.AttemptStatus.CompletionStatus == nil {
		return nil
	}
	a, id := &t.AttemptStatus, s.Framework().AttemptStatus.ID
	r := &pluginpb.TaskAttemptRecord{
		TaskRole: ref.Role, TaskIndex: ref.Index, TaskAttemptId: a.ID, TaskUid: t.InstanceUID, PodName: a.PodName,
		Completion: outcome(&a.CompletionStatus.CompletionStatus),
		Began:      timestamp(a.StartTime.Time), Ran: moment(a.RunTime), Ended: moment(a.CompletionTime),
		Retry: retryOfTask(of, s, ref, t),
	}
	if a.PodNodeName != nil {
		r.Node = *a.PodNodeName
	}
	if a.PodUID != nil {
		r.PodUid = string(*a.PodUID)
		seen.Pod(ref, *a.PodUID).enter(r)
		if cause := seen.Deletion(ref, *a.PodUID); cause != 0 {
			r.DeletionCause = cause.String()
		}
	}
	if r.Containers == nil {
		r.Containers = containersOf(a.CompletionStatus.Pod)
	}
	return &pluginpb.Record{
		Key:       of.taskKey(id, ref, t.InstanceUID, a.ID),
		Framework: of.framework(id), ResourceVersion: of.version(), Time: r.Ended, Content: &pluginpb.Record_TaskAttempt{TaskAttempt: r},
	}
}

// taskKey identifies an attempt of the Task with a UID.
func (s Subject) taskKey(attempt int32, ref lifecycle.TaskRef, uid string, taskAttempt int32) string {
	return s.key("attempt", number(attempt), "task", ref.Role, number(ref.Index), uid, number(taskAttempt))
}

// containersOf returns the containers of the status, for a Pod that was not seen as a whole.
func containersOf(p *v1.PodCompletionStatus) (out []*pluginpb.ContainerRecord) {
	if p == nil {
		return nil
	}
	for _, c := range p.Containers {
		code := c.Code
		out = append(out, &pluginpb.ContainerRecord{Name: text(c.Name), ExitCode: &code, Signal: c.Signal, Reason: text(c.Reason), Message: text(c.Message)})
	}
	return out
}

// retryOfTask returns what follows the attempt. Nothing follows a Task that has completed. The row is then the reason, unless something
// else ended the Task, such as the end of the attempt.
func retryOfTask(of Subject, s *lifecycle.State, ref lifecycle.TaskRef, t *v1.TaskStatus) *pluginpb.Retry {
	out := &pluginpb.Retry{Follows: t.State == v1.AttemptCompleted}
	for i := range of.Spec.TaskRoles {
		spec := &of.Spec.TaskRoles[i]
		if spec.Name != ref.Role {
			continue
		}
		role, _ := s.Role(ref.Role)
		d := retry.Decide(retry.OfTask(spec, role.RetriedCount, t, retry.EndingOf(&t.AttemptStatus, t.AttemptStatus.CompletionTime.Time)))
		if d.Follows == out.Follows {
			out.Row = string(d.ID)
		}
		break
	}
	if delay := t.RetryPolicyStatus.RetryDelaySec; delay != nil {
		out.DelaySeconds = *delay
	}
	return out
}

// attempt returns the record of the Framework's attempt, which is stored as completed.
func attempt(of Subject, s *lifecycle.State) *pluginpb.Record {
	status := s.Framework()
	a := &status.AttemptStatus
	r := &pluginpb.FrameworkAttemptRecord{
		Began: timestamp(a.StartTime.Time), Ran: moment(a.RunTime), Ended: moment(a.CompletionTime),
		Tasks: tasksOf(s), Retry: &pluginpb.Retry{Follows: status.State != v1.Completed},
	}
	if a.Placement != nil {
		r.Placed = moment(a.Placement.PlacedTime)
	}
	if how := a.CompletionStatus; how != nil {
		r.Completion = outcome(&how.CompletionStatus)
		if by := how.Trigger; by != nil {
			r.TriggerRole, r.TriggerIndex = by.TaskRoleName, by.TaskIndex
		}
		d := retry.Decide(retry.OfFramework(of.Spec.RetryPolicy, status.RetryPolicyStatus, retry.Ending{Status: how.CompletionStatus, Time: status.TransitionTime.Time}))
		if d.Follows == r.Retry.Follows {
			r.Retry.Row = string(d.ID)
		}
	}
	if delay := status.RetryPolicyStatus.RetryDelaySec; delay != nil {
		r.Retry.DelaySeconds = *delay
	}
	return &pluginpb.Record{
		Key: of.key("attempt", number(a.ID)), Framework: of.framework(a.ID), ResourceVersion: of.version(), Time: r.Ended,
		Content: &pluginpb.Record_FrameworkAttempt{FrameworkAttempt: r},
	}
}

func tasksOf(s *lifecycle.State) int32 {
	n := int32(0)
	for _, tasks := range s.EachRole {
		n += int32(len(tasks))
	}
	return n
}

// Happening returns the record of an event of the Framework. Version is the one of the status write before the event, and n distinguishes
// the events of one write.
func Happening(of Subject, attempt int32, version string, n int, at time.Time, what reason.Event, facts reason.Facts) *pluginpb.Record {
	named := map[string]string{}
	for key, value := range facts.Annotations() {
		named[path.Base(key)] = text(value)
	}
	return &pluginpb.Record{
		Key: of.key("attempt", number(attempt), "happening", version, number(int64(n))), Framework: of.framework(attempt), ResourceVersion: of.version(), Time: timestamp(at),
		Content: &pluginpb.Record_Happening{Happening: &pluginpb.Happening{Reason: string(what), Facts: named}},
	}
}
