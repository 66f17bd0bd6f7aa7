package records_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/records"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

var begin = time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)

func after(n int) metav1.Time { return metav1.NewTime(begin.Add(time.Duration(n) * time.Minute)) }

// seen has one Pod, which was deleted for a retry.
type seen struct{ pod *corev1.Pod }

func (s seen) Pod(lifecycle.TaskRef, types.UID) *records.Pod {
	if s.pod == nil {
		return nil
	}
	return records.PodOf(s.pod, false)
}

func (s seen) Deletion(lifecycle.TaskRef, types.UID) reason.Cause {
	if s.pod == nil {
		return 0
	}
	return reason.TaskRetry
}

func (seen) Stored(_ lifecycle.TaskRef, uid string, attempt int32) bool {
	return uid == "T9" && attempt == 0
}

func (s seen) Judged(_ lifecycle.TaskRef, uid types.UID) *records.Judged {
	if s.pod == nil || s.pod.UID != uid {
		return nil
	}
	question := &pluginpb.FailedPod{Uid: string(uid), TaskRole: "w", Name: "f-w-0", Labels: map[string]string{"a": "b"}, Framework: &pluginpb.Framework{Labels: map[string]string{"x": "y"}}}
	return records.JudgedPod(question, &pluginpb.Verdict{Uid: string(uid), Code: 9}, 2*time.Second)
}

func subject() records.Subject {
	return records.Subject{
		Meta: &metav1.ObjectMeta{Namespace: "ns", Name: "f", UID: "F", Generation: 3, Labels: map[string]string{"team": "a\xffb"}, CreationTimestamp: after(0)},
		Spec: &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{
			Name: "w", TaskNumber: 2, Task: v1.TaskSpec{Pod: v1.PodTemplate(`{"spec":{}}`), RetryPolicy: v1.RetryPolicySpec{MaxRetryCount: 1}},
		}}},
	}
}

// status has one Task that waits for its retry, and one that runs.
func status() *v1.FrameworkStatus {
	failed := v1.CompletionStatus{
		Code: 9, Phrase: "Killed", Type: v1.CompletionType{Name: v1.CompletionFailed, Attributes: []v1.CompletionTypeAttribute{v1.AttributeTransient}},
		Diagnostics: strings.Repeat("é", 4<<10), Source: &v1.CompletionSource{Plugin: "codes", Version: "1", Rule: "oom"}, Remedy: "more \xff",
	}
	ended := v1.TaskStatus{
		Index: 0, InstanceUID: "T0", State: v1.AttemptCompleted, StartTime: after(1), TransitionTime: after(4),
		RetryPolicyStatus: v1.RetryPolicyStatus{RetryDelaySec: new(int64(30))},
		AttemptStatus: v1.TaskAttemptStatus{
			StartTime: after(1), RunTime: new(after(2)), CompletionTime: new(after(4)), PodName: "f-w-0", PodUID: new(types.UID("P0")), PodNodeName: new("node1"),
			CompletionStatus: &v1.TaskAttemptCompletionStatus{CompletionStatus: failed, Pod: &v1.PodCompletionStatus{
				Containers: []v1.ContainerCompletionStatus{{Name: "main", Code: 9, Message: "bad \xff"}}}},
		},
	}
	runs := v1.TaskStatus{Index: 1, InstanceUID: "T1", State: v1.AttemptRunning, StartTime: after(1), TransitionTime: after(2),
		AttemptStatus: v1.TaskAttemptStatus{StartTime: after(1), RunTime: new(after(2)), PodName: "f-w-1", PodUID: new(types.UID("P1"))}}
	return &v1.FrameworkStatus{State: v1.AttemptRunning, RetryPolicyStatus: v1.RetryPolicyStatus{TotalRetriedCount: 5}, StartTime: after(0), TransitionTime: after(2), AttemptStatus: v1.FrameworkAttemptStatus{
		ID: 5, StartTime: after(0), ConfigMapName: "f-attempt", InstanceUID: new("5_C"), ConfigMapUID: new(types.UID("C")), TaskRoleStatuses: []v1.TaskRoleStatus{{Name: "w", InstanceUID: "R", TaskStatuses: []v1.TaskStatus{ended, runs}}},
	}}
}

func state(t *testing.T, s *v1.FrameworkStatus) *lifecycle.State {
	t.Helper()
	loaded, err := lifecycle.Load(s)
	require.NoError(t, err)
	return loaded
}

func pod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "P0", CreationTimestamp: after(1)},
		Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "barrier", Image: "barrier:1"}},
			Containers: []corev1.Container{{Name: "main", Image: "app:2", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m"), "nvidia.com/gpu": resource.MustParse("8")}}}},
		},
		Status: corev1.PodStatus{
			Conditions: []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: after(1)},
				{Type: corev1.PodInitialized, Status: corev1.ConditionFalse, LastTransitionTime: after(1)},
			},
			InitContainerStatuses: []corev1.ContainerStatus{{Name: "barrier", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: after(1)}}}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "main", ImageID: "app@sha256:1", RestartCount: 2, State: corev1.ContainerState{
				Terminated: &corev1.ContainerStateTerminated{ExitCode: 137, Signal: 9, Reason: "OOMKilled", Message: "m\x00\xff", StartedAt: after(2), FinishedAt: after(3)}}}},
		},
	}
}

func TestTask(t *testing.T) {
	s := state(t, status())
	r := records.Task(subject(), s, lifecycle.TaskRef{Role: "w"}, seen{pod()})
	a := r.GetTaskAttempt()
	require.Equal(t, "F/attempt/5/task/w/0/T0/0", r.GetKey())
	require.Equal(t, after(4).Time, r.GetTime().AsTime())
	require.Equal(t, []any{"ns", "f", "F", int32(5)}, []any{r.GetFramework().GetNamespace(), r.GetFramework().GetName(), r.GetFramework().GetUid(), r.GetFramework().GetAttemptId()})
	require.Equal(t, "Killed", a.GetCompletion().GetPhrase())
	require.LessOrEqual(t, len(a.GetCompletion().GetDiagnostics()), 4<<10)
	require.True(t, utf8.ValidString(a.GetCompletion().GetDiagnostics()))
	require.Equal(t, []string{"codes", "1", "oom"}, []string{a.GetCompletion().GetPlugin(), a.GetCompletion().GetPluginVersion(), a.GetCompletion().GetRule()})
	require.Equal(t, after(1).Time, a.GetScheduled().AsTime())
	require.Nil(t, a.GetInitialized(), "the condition is false")
	require.Equal(t, after(3).Time, a.GetContainersEnded().AsTime())
	require.Equal(t, map[string]float64{"cpu": 0.5, "nvidia.com/gpu": 8}, a.GetRequests())
	require.Equal(t, "TaskRetry", a.GetDeletionCause())
	require.Equal(t, []any{true, int64(30)}, []any{a.GetRetry().GetFollows(), a.GetRetry().GetDelaySeconds()})
	require.NotEmpty(t, a.GetRetry().GetRow())
	require.Len(t, a.GetContainers(), 2)
	main := a.GetContainers()[1]
	require.Equal(t, []any{"app:2", "app@sha256:1", int32(137), "OOMKilled", int32(2)}, []any{main.GetImage(), main.GetImageId(), main.GetExitCode(), main.GetReason(), main.GetRestarts()})

	require.Nil(t, records.Task(subject(), s, lifecycle.TaskRef{Role: "w", Index: 1}, seen{}), "it runs")
	require.Nil(t, records.Task(subject(), s, lifecycle.TaskRef{Role: "x"}, seen{}), "there is none")
}

// After a restart, only the stored facts about the Pod are known. The key is the same.
func TestTaskWithoutPod(t *testing.T) {
	s := state(t, status())
	whole, stored := records.Task(subject(), s, lifecycle.TaskRef{Role: "w"}, seen{pod()}), records.Task(subject(), s, lifecycle.TaskRef{Role: "w"}, seen{})
	require.Equal(t, whole.GetKey(), stored.GetKey())
	require.Equal(t, int32(9), stored.GetTaskAttempt().GetContainers()[0].GetExitCode())
	another := pod()
	another.UID = "P9"
	require.Nil(t, records.Task(subject(), s, lifecycle.TaskRef{Role: "w"}, seen{another}).GetTaskAttempt().GetPodCreated(), "it is another Pod")
}

// An attempt has a record for each of its Tasks, one for itself, and one for the Framework. All can be sent.
func TestAttempt(t *testing.T) {
	s := status()
	s.State, s.CompletionTime = v1.Completed, new(after(6))
	first, second := &s.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0], &s.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[1]
	first.State, second.State, first.RetryPolicyStatus.RetryDelaySec = v1.Completed, v1.Completed, nil
	first.CompletionTime, second.CompletionTime = new(after(5)), new(after(6))
	second.AttemptStatus.CompletionTime, second.AttemptStatus.CompletionStatus = new(after(6)), first.AttemptStatus.CompletionStatus
	s.AttemptStatus.CompletionTime = new(after(6))
	s.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{
		CompletionStatus: s.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.CompletionStatus.CompletionStatus,
		Trigger:          &v1.CompletionTrigger{TaskRoleName: "w", TaskIndex: 1},
	}
	all := records.Attempt(subject(), state(t, s), seen{})
	require.Len(t, all, 7)
	require.Equal(t, "F/attempt/5/task/w/0/T0/0", all[0].GetKey())
	require.Equal(t, "F/attempt/5/task/w/0/T0/0/verdict", all[1].GetKey())
	require.Equal(t, "F/attempt/5/task/w/1/T1/0/verdict", all[3].GetKey())
	all = all[4:]
	require.Equal(t, "F/attempt/5", all[0].GetKey())
	require.Equal(t, all[2].GetFrameworkRecord().GetObjectDigest(), all[1].GetObject().GetDigest())
	all = append([]*pluginpb.Record{nil}, all[0], all[2])
	require.Equal(t, []any{"w", int32(1), int32(2), false}, []any{
		all[1].GetFrameworkAttempt().GetTriggerRole(), all[1].GetFrameworkAttempt().GetTriggerIndex(), all[1].GetFrameworkAttempt().GetTasks(),
		all[1].GetFrameworkAttempt().GetRetry().GetFollows()})
	f := all[2].GetFrameworkRecord()
	require.Equal(t, []any{"Completed", int32(2), int64(3)}, []any{f.GetState(), f.GetTasks(), f.GetGeneration()})
	require.Greater(t, records.Deleted(subject(), state(t, s))[1].GetFrameworkRecord().GetRevision(), f.GetRevision())
	newer := subject()
	newer.Meta.Generation++
	require.Greater(t, records.Framework(newer, state(t, s))[1].GetFrameworkRecord().GetRevision(), f.GetRevision(), "its spec has changed")
	_, err := proto.Marshal(&pluginpb.StoreRequest{Records: records.Attempt(subject(), state(t, s), seen{})}) // it requires valid UTF-8
	require.NoError(t, err)
}

// The verdict on a failed Pod has the question as it was asked, without facts that other records have, and the stored decision.
func TestVerdict(t *testing.T) {
	s, w0 := state(t, status()), lifecycle.TaskRef{Role: "w"}
	r := records.Verdict(subject(), s, w0, seen{pod()})
	v := r.GetVerdict()
	require.Equal(t, "F/attempt/5/task/w/0/T0/0/verdict", r.GetKey())
	require.Equal(t, []any{"P0", "f-w-0", "T0", 2.0, int32(9)}, []any{v.GetQuestion().GetUid(), v.GetQuestion().GetName(), v.GetTaskUid(), v.GetDurationSeconds(), v.GetAnswer().GetCode()})
	require.Equal(t, []string{"codes", "oom"}, []string{v.GetDecision().GetPlugin(), v.GetDecision().GetRule()})
	require.Equal(t, "f", v.GetQuestion().GetFramework().GetName())
	require.Empty(t, v.GetQuestion().GetFramework().GetLabels())

	stored := records.Verdict(subject(), s, w0, seen{})
	require.Equal(t, r.GetKey(), stored.GetKey(), "after a restart")
	require.Equal(t, []any{"P0", "f-w-0", "node1", int32(9)}, []any{stored.GetVerdict().GetQuestion().GetUid(), stored.GetVerdict().GetQuestion().GetName(),
		stored.GetVerdict().GetQuestion().GetNode(), stored.GetVerdict().GetQuestion().GetContainers()[0].GetTerminated().GetExitCode()})
	require.Nil(t, stored.GetVerdict().GetAnswer())

	require.Nil(t, records.Verdict(subject(), s, lifecycle.TaskRef{Role: "w", Index: 1}, seen{}), "it runs")
	gone := status()
	gone.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.CompletionStatus.CompletionStatus = v1.CompletionStatus{
		Code: -210, Phrase: "StopFrameworkRequested", Type: v1.CompletionType{Name: v1.CompletionFailed}}
	require.Nil(t, records.Verdict(subject(), state(t, gone), w0, seen{pod()}), "nobody judged the Pod")
}

// An answer in shadow has the key of the attempt with the name of the plugin or the code of the rule.
func TestShadowVerdict(t *testing.T) {
	s := records.Shadowed{Rule: -1300, Question: &pluginpb.FailedPod{Uid: "P0", TaskRole: "w", TaskAttemptId: 2, Framework: &pluginpb.Framework{AttemptId: 5}},
		TaskUID: "T0", At: begin, Outcome: "no_opinion", Decision: v1.CompletionStatus{Code: 7, Diagnostics: "long"}}
	r := records.ShadowVerdict(subject(), s)
	require.Equal(t, "F/attempt/5/task/w/0/T0/2/shadow/rule/-1300", r.GetKey())
	require.Equal(t, []any{"f", int32(5), begin.UTC(), int32(7), ""}, []any{r.GetFramework().GetName(), r.GetFramework().GetAttemptId(), r.GetTime().AsTime(),
		r.GetShadowVerdict().GetDecision().GetCode(), r.GetShadowVerdict().GetDecision().GetDiagnostics()})
	require.Nil(t, r.GetShadowVerdict().GetVerdict())
	s.Plugin, s.Rule, s.Verdict = "tomorrow", 0, &v1.CompletionStatus{Code: 8, Diagnostics: "said"}
	r = records.ShadowVerdict(subject(), s)
	require.Equal(t, "F/attempt/5/task/w/0/T0/2/shadow/plugin/tomorrow", r.GetKey())
	require.Equal(t, "said", r.GetShadowVerdict().GetVerdict().GetDiagnostics())
}

// Equal Pods share one object, which comes before the attempts that refer to it.
func TestObjects(t *testing.T) {
	s := state(t, status())
	w0 := lifecycle.TaskRef{Role: "w"}
	all := records.Tasks(subject(), s, []lifecycle.TaskRef{w0, w0}, seen{pod()})
	var kinds []string
	for _, r := range all {
		kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", r.GetContent()), "*pluginpb.Record_"))
	}
	require.Equal(t, []string{"Object", "TaskAttempt", "Verdict", "TaskAttempt", "Verdict"}, kinds)
	o := all[0].GetObject()
	require.Equal(t, o.GetDigest(), all[1].GetTaskAttempt().GetObjectDigest())
	require.Equal(t, "F/object/"+o.GetDigest(), all[0].GetKey())
	require.Equal(t, []string{"Pod", "f-w-0", "P0"}, []string{o.GetKind(), o.GetName(), o.GetUid()})
	require.Contains(t, string(o.GetContent()), `"image":"app:2"`)
	require.Empty(t, records.Task(subject(), s, w0, seen{}).GetTaskAttempt().GetObjectDigest(), "the Pod was not seen")
}

// An admission, a placed gang and each opened gate are recorded once in an attempt.
func TestReleases(t *testing.T) {
	closed, open := status(), status()
	open.AttemptStatus.SchedulerHints = &v1.SchedulerHints{Plugin: "kueue", Answer: json.RawMessage(`{}`), Admission: json.RawMessage(`{}`)}
	open.AttemptStatus.Placement = &v1.PlacementStatus{PlacedTime: new(after(3))}
	open.Gate, open.Gates = "5_C", &v1.RoleGates{Open: []string{"a", "w"}}
	half := status()
	half.Gates = &v1.RoleGates{Open: []string{"a"}}
	earlier := status()
	earlier.AttemptStatus.ID, earlier.RetryPolicyStatus.TotalRetriedCount, earlier.Gate = 4, 4, "4_C"
	for _, test := range []struct {
		was  *v1.FrameworkStatus
		is   *v1.FrameworkStatus
		want string
	}{
		{closed, open, "Admitted map[plugin:kueue], GangPlaced map[], GateOpened map[role:a], GateOpened map[role:w], GateOpened map[]"},
		{half, open, "Admitted map[plugin:kueue], GangPlaced map[], GateOpened map[role:w], GateOpened map[]"},
		{open, open, ""}, {open, closed, ""}, {nil, half, "GateOpened map[role:a]"}, {earlier, half, "GateOpened map[role:a]"},
	} {
		var before *lifecycle.State
		if test.was != nil {
			before = state(t, test.was)
		}
		var got []string
		keys := map[string]bool{}
		for _, r := range records.Moments(subject(), before, state(t, test.is), "17", begin) {
			got = append(got, fmt.Sprint(r.GetHappening().GetReason(), " ", r.GetHappening().GetFacts()))
			keys[r.GetKey()] = true
		}
		require.Equal(t, test.want, strings.Join(got, ", "))
		require.Len(t, keys, len(got), "keys differ")
	}
}

// A wait has a beginning and an end, with its reason.
func TestWaits(t *testing.T) {
	waiting := func(why string) *lifecycle.State {
		s := status()
		if why != "" {
			s.Conditions = []metav1.Condition{{Type: v1.ConditionWaiting, Status: metav1.ConditionTrue, Reason: why}}
			s.Waiting = &v1.WaitingStatus{Role: "w", Index: new(int32(1))}
		}
		return state(t, s)
	}
	for _, test := range []struct{ was, is, want string }{
		{"", "", ""}, {"A", "A", ""}, {"", "A", "WaitBegan A w-1"}, {"A", "", "WaitEnded A w-1"}, {"A", "B", "WaitEnded A w-1, WaitBegan B w-1"},
	} {
		var got []string
		for _, r := range records.Moments(subject(), waiting(test.was), waiting(test.is), "17", begin) {
			h := r.GetHappening()
			got = append(got, h.GetReason()+" "+h.GetFacts()["reason"]+" "+h.GetFacts()["task"])
			require.Equal(t, "F/attempt/5/happening/17/"+h.GetReason(), r.GetKey())
		}
		require.Equal(t, test.want, strings.Join(got, ", "))
	}
	require.Len(t, records.Moments(subject(), nil, waiting("A"), "17", begin), 1, "it is new")
}

// Records that sinks hold are not made again.
func TestStored(t *testing.T) {
	s := status()
	s.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].InstanceUID = "T9"
	require.Empty(t, records.Tasks(subject(), state(t, s), []lifecycle.TaskRef{{Role: "w"}}, seen{pod()}))
}

func TestHappening(t *testing.T) {
	r := records.Happening(subject(), 5, "17", 2, begin, reason.Rescaled, reason.Facts{Tasks: []string{"w-0"}, Node: "node\xff"})
	require.Equal(t, "F/attempt/5/happening/17/2", r.GetKey())
	require.Equal(t, map[string]string{"task": "w-0", "node": "node\uFFFD"}, r.GetHappening().GetFacts())
}

// The record of a Framework has its links with the placeholders replaced, and no unsafe ones.
func TestLinks(t *testing.T) {
	of := subject()
	of.Meta.Annotations = map[string]string{v1.LinkAnnotationPrefix + "logs": "https://logs.example.com/{{FC_FRAMEWORK_NAMESPACE}}/{{FC_FRAMEWORK_NAME}}",
		v1.LinkAnnotationPrefix + "script": "javascript:alert(1)"}
	all := records.Deleted(of, state(t, status()))
	got := all[len(all)-1].GetFrameworkRecord().GetLinks()
	require.Len(t, got, 1)
	require.Equal(t, "logs https://logs.example.com/ns/f", got[0].GetName()+" "+got[0].GetUrl())
}
