package kubectl

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// The confirmation covers everything that a change of the scale ends: the attempt, if a threshold other than 0 and -1 is reached by then.
func TestScaleEndsAttempt(t *testing.T) {
	ended := func(index int32, code completion.Code) v1.TaskStatus {
		return v1.TaskStatus{Index: index, State: v1.Completed, AttemptStatus: v1.TaskAttemptStatus{CompletionStatus: &v1.TaskAttemptCompletionStatus{
			CompletionStatus: completion.Predefined(code, "")}}}
	}
	f := v1.Framework{
		Spec: v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 4}}},
		Status: &v1.FrameworkStatus{State: v1.AttemptRunning, AttemptStatus: v1.FrameworkAttemptStatus{TaskRoleStatuses: []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{
			ended(0, completion.CodeSucceeded), ended(1, completion.CodeSucceeded), {Index: 2, State: v1.AttemptRunning}, ended(3, completion.CodePodExternalDeleted),
		}}}}},
	}
	const attempt = "its attempt and 1 running Task, because "
	for _, test := range []struct {
		field string
		to    int32
		want  string
	}{
		{policyField + minSucceeded, -1, ""}, {policyField + minSucceeded, 0, ""}, {policyField + minSucceeded, 3, ""},
		{policyField + minSucceeded, 1, attempt + "2 Tasks of role worker have already succeeded"},
		{policyField + minSucceeded, 2, attempt + "2 Tasks of role worker have already succeeded"},
		{policyField + minFailed, -1, ""}, {policyField + minFailed, 0, ""}, {policyField + minFailed, 2, ""},
		{policyField + minFailed, 1, attempt + "1 Task of role worker has already failed"},
		{"taskNumber", 5, ""}, {"taskNumber", 3, ""},
		{"taskNumber", 2, attempt + "all remaining Tasks have already completed"},
		{"taskNumber", 0, "1 running Task"},
	} {
		c := newChange(&stored{Framework: f}, "scaled")
		c.setOf(0, test.field, -2, test.to)
		if got := c.ends(); got != test.want {
			t.Errorf("%s %d ends %q, and not %q", test.field, test.to, got, test.want)
		}
	}
	c := newChange(&stored{Framework: f}, "scaled") // the Task that has failed is removed with it
	c.setOf(0, "taskNumber", 4, 3)
	c.setOf(0, policyField+minFailed, -1, 1)
	if got := c.ends(); got != "" {
		t.Errorf("without the Task that has failed it ends %q", got)
	}
}

// The number that stands for all items cannot be meant as one Task, so it is refused.
func TestScaleOfItems(t *testing.T) {
	f := v1.Framework{Spec: v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{
		{Name: "plain", TaskNumber: 3},
		{Name: "worker", TaskNumber: 3, Items: &v1.ItemsSpec{ConfigMapKeyRef: &v1.ItemsKeyRef{Name: "params", Key: "list"}}},
	}}}
	for arg, refused := range map[string]bool{"worker=0": false, "worker=1": true, "worker=2": false, "plain=1": false} {
		c := &scaling{changing: changing{yes: true}}
		_, err := c.scaleOf(t.Context(), &stored{Framework: f}, []string{arg})
		if (err != nil) != refused {
			t.Errorf("%s: %v", arg, err)
		}
		if refused && !strings.Contains(err.Error(), "role worker has items, and taskNumber 1 stands for as many Tasks as items") {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

// In random lives, the core ends exactly the parts that scale announces.
func TestScaleSaysWhatEnds(t *testing.T) {
	attempts, some, none := 0, 0, 0
	for number := range uint64(600) {
		story := lifecycletest.NewStory(lifecycletest.Config())
		life := lifecycletest.NewLife(number)
		told := ""
		do := func(c lifecycletest.Command) {
			out, err := story.Do(c.Line, c.Input)
			if err != nil {
				t.Fatal(err)
			}
			told += c.Line + "\n" + c.Input + out
		}
		for _, c := range life.Begin() {
			do(c)
		}
		for range life.IntN(9) {
			do(life.Next())
		}
		f := story.Object()
		if f == nil || f.Status == nil || f.Status.State != v1.AttemptRunning {
			continue
		}
		c := newChange(&stored{Framework: *f}, "scaled")
		edit := ""
		for i, role := range f.Spec.TaskRoles {
			tasks, failed, succeeded := int32(life.IntN(5)), int32(life.IntN(4)-1), int32(life.IntN(4)-1)
			c.setOf(i, "taskNumber", role.TaskNumber, tasks)
			c.setOf(i, policyField+minFailed, role.FrameworkAttemptCompletionPolicy.MinFailedTaskCount, failed)
			c.setOf(i, policyField+minSucceeded, role.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount, succeeded)
			edit += fmt.Sprintf("%s x%d failed=%d succeeded=%d\n", role.Name, tasks, failed, succeeded)
		}
		says, endsAttempt := c.ends(), c.endsAttempt(c.rescaledSpec()) != ""
		running := c.of.runningTasks(allTasks)
		do(lifecycletest.Command{Line: "set stuck on"}) // Pods stay, so that the ending ones can be counted
		do(lifecycletest.Command{Line: "edit", Input: edit})
		after := &stored{Framework: *story.Object()}
		ended := after.Status.AttemptStatus.ID > f.Status.AttemptStatus.ID || after.Status.AttemptStatus.CompletionStatus != nil
		left := c.of.runningTasks(func(role string, t *v1.TaskStatus) bool { return goesOn(&after.Framework, role, t) })
		switch {
		case endsAttempt != ended, !ended && says != c.of.thatRun(running-left):
			t.Fatalf("life %d: it says %q; the attempt has ended: %t, and %d of %d Tasks run on:\n%s", number, says, ended, left, running, told)
		case ended:
			attempts++
		case says != "":
			some++
		default:
			none++
		}
	}
	if attempts == 0 || some == 0 || none == 0 {
		t.Errorf("%d end the attempt, %d some Tasks, %d nothing", attempts, some, none)
	}
}

// goesOn reports whether a Framework still has a Task, and does not remove it.
func goesOn(f *v1.Framework, role string, t *v1.TaskStatus) bool {
	for _, r := range f.Status.AttemptStatus.TaskRoleStatuses {
		if r.Name == role && int(t.Index) < len(r.TaskStatuses) {
			now := &r.TaskStatuses[t.Index]
			return now.InstanceUID == t.InstanceUID && !now.DeletionPending
		}
	}
	return false
}
