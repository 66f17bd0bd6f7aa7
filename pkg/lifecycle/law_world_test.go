package lifecycle_test

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawActions: at most one action per name and round, so that the order of performing them does not matter.
func (c *checker) lawActions(_ lifecycle.Input, out lifecycle.Output) {
	seen := map[string]lifecycle.Action{}
	for _, action := range out.Actions {
		name := "configmap"
		switch a := action.(type) {
		case lifecycle.DeleteFramework:
			name = "framework"
		case lifecycle.ClassifyPod, lifecycle.JudgeStart, lifecycle.DecideCompletion, lifecycle.AskHints, lifecycle.PrepareHints,
			lifecycle.ArchiveTask, lifecycle.ArchiveAttempt, lifecycle.CollectLogs:
			name = "plugins: " + action.String()
		case lifecycle.CreatePod:
			name = a.Task.String()
		case lifecycle.DeletePod:
			name = a.Task.String()
		case lifecycle.ReadPod:
			name = a.Task.String()
		case lifecycle.ReadItems:
			name = action.String()
		case lifecycle.KeepClaim:
			name = "claim " + a.Claim.String()
		case lifecycle.DeleteClaim:
			name = "claim " + a.Claim.String()
		}
		if seen[name] != nil {
			c.violationf("one action per name", "%s, %s", seen[name], action)
		}
		seen[name] = action
	}
}

// started audits an action against what is stored at that moment (P1, contract 2.11).
func (c *checker) started(action lifecycle.Action) {
	switch action.(type) {
	case lifecycle.PrepareHints, lifecycle.ArchiveAttempt, lifecycle.KeepClaim, lifecycle.DeleteClaim, lifecycle.ReadItems: // asked again after a restart
	default:
		c.actions++
	}
	if c.stored == nil {
		c.violationf("P1: nothing is done without a status", "%s", action)
		return
	}
	justified := true
	status := c.stored.Framework()
	switch a := action.(type) {
	case lifecycle.CreateConfigMap:
		justified = status.State == v1.AttemptCreationPending && status.AttemptStatus.ID == a.AttemptID
	case lifecycle.DeleteConfigMap:
		recorded := status.AttemptStatus.ConfigMapUID
		justified = recorded == nil || *recorded != a.UID || status.AttemptStatus.CompletionStatus != nil ||
			status.State == v1.AttemptCreationRequested
		justified = justified && !(a.Force && c.recordsPods())
	case lifecycle.CreatePod:
		justified = c.mayCreatePod(a)
	case lifecycle.DeletePod:
		justified = c.mayDeletePod(a)
	case lifecycle.DeleteFramework:
		justified = status.State == v1.Completed
	case lifecycle.KeepClaim:
		justified = c.stored.MayKeep(a.Claim)
	case lifecycle.DeleteClaim:
		justified = c.stored.Removes(a.Claim)
	case lifecycle.CollectLogs:
		task := c.stored.Task(a.Task)
		decided := task != nil && (task.AttemptStatus.CompletionStatus != nil || c.stored.Framework().AttemptStatus.CompletionStatus != nil)
		justified = decided && task.AttemptStatus.PodUID != nil && *task.AttemptStatus.PodUID == a.UID
	}
	if !justified {
		c.violationf("P1: stored before it is acted on", "%s: %s", action, text(c.stored.Status()))
	}
}

// recordsPods reports whether a Task has a Pod by what is stored.
func (c *checker) recordsPods() (any bool) {
	eachTask(c.stored, func(_ lifecycle.TaskRef, t *v1.TaskStatus) {
		any = any || t.AttemptStatus.PodUID != nil && t.AttemptStatus.CompletionTime == nil
	})
	return any
}

func (c *checker) mayCreatePod(a lifecycle.CreatePod) bool {
	task := c.stored.Task(a.Task)
	if c.asked && !c.story.Admitted(c.framework, c.stored.Framework().AttemptStatus.ID) {
		return false
	}
	return !heldBack(c.spec, c.stored.Framework().Gates, a.Task.Role) && c.stored.Framework().AttemptStatus.ConfigMapUID != nil && task != nil &&
		task.State == v1.AttemptCreationPending && takesPartIn(task) == nil && task.InstanceUID == a.TaskUID && task.AttemptStatus.ID == a.AttemptID
}

// mayDeletePod: a recorded Pod is deleted only if its attempt is decided, or it was never seen. One that is not
// recorded has to be ours.
func (c *checker) mayDeletePod(a lifecycle.DeletePod) bool {
	for _, pod := range c.story.Pods() {
		if pod.UID == a.UID && pod.Foreign {
			return false
		}
	}
	task := c.stored.Task(a.Task)
	if task == nil || task.AttemptStatus.PodUID == nil || *task.AttemptStatus.PodUID != a.UID {
		return true
	}
	return task.AttemptStatus.CompletionStatus != nil || task.State == v1.AttemptCreationRequested
}

// lawPods: which Pods may run at the same time as what is stored (G2, G3, G4). Pods of requests that arrived
// late are nobody's fault; they are only to disappear again.
func (c *checker) lawPods() {
	uid, exists := c.story.Framework()
	var owners []types.UID
	for _, pod := range c.story.Pods() {
		if !pod.Executing || pod.Late || pod.Foreign {
			continue
		}
		owners = append(owners, pod.ConfigMapUID)
		if !exists || uid != c.framework || ended(c.stored.Framework().State) {
			c.violationf("G4: no Pod runs after the attempt", "%s", pod.UID)
		} else if task := c.stored.Task(pod.Task); task == nil || ended(task.State) {
			c.violationf("G2: no Pod runs without its Task", "%s: %s", pod.UID, text(task))
		}
	}
	slices.Sort(owners)
	if len(slices.Compact(owners)) > 1 {
		c.violationf("G3: no two attempts run at the same time", "%v", owners)
	}
}

// lawOwnership: what is recorded was made for the very attempt that records it (W10).
func (c *checker) lawOwnership() {
	framework, exists := c.story.Framework()
	if !exists || framework != c.framework {
		return
	}
	status := c.stored.Framework()
	uid, attempt, ok := c.story.ConfigMap()
	if recorded := status.AttemptStatus.ConfigMapUID; ok && recorded != nil && *recorded == uid && attempt != status.AttemptStatus.ID {
		c.violationf("W10: adopted for another attempt", "%s", uid)
	}
	for _, pod := range c.story.Pods() {
		task := c.stored.Task(pod.Task)
		if task == nil || task.AttemptStatus.PodUID == nil || *task.AttemptStatus.PodUID != pod.UID {
			continue
		}
		if pod.TaskUID != task.InstanceUID || pod.TaskAttemptID != task.AttemptStatus.ID || pod.ConfigMapUID != *status.AttemptStatus.ConfigMapUID {
			c.violationf("W10: adopted for another attempt", "%+v", pod)
		}
	}
}

// lawGone: an attempt is completed only when its object is gone for certain, whatever the cache shows. A Pod that was
// held counts as gone: it runs nothing, and never will.
func (c *checker) lawGone(in lifecycle.Input, out lifecycle.Output) {
	for _, move := range out.Moves {
		switch move.Row {
		case "F4", "F7", "F13":
			c.lawConfigMapGone(in, move)
		case "T2", "T4", "T6", "T11":
			c.lawPodGone(in, out, move)
		}
	}
}

func (c *checker) lawConfigMapGone(in lifecycle.Input, move lifecycle.Move) {
	uid, _, exists := c.story.ConfigMap()
	recorded := in.Saved != nil && in.Saved.Framework().AttemptStatus.ConfigMapUID != nil
	if exists && recorded && *in.Saved.Framework().AttemptStatus.ConfigMapUID == uid {
		c.violationf("gone for certain", "row %s, but %s exists", move.Row, uid)
	}
}

func (c *checker) lawPodGone(in lifecycle.Input, out lifecycle.Output, move lifecycle.Move) {
	for _, pod := range c.story.Pods() {
		recorded := out.State.Framework().AttemptStatus.ConfigMapUID // nil if a Task that never had its turn is removed
		ours := recorded != nil && pod.ConfigMapUID == *recorded
		if pod.Task != *move.Task || pod.Late || pod.Foreign || pod.WasHeld || !ours {
			continue
		}
		c.violationf("gone for certain", "row %s, but %+v exists", move.Row, pod)
	}
}

func ended(state v1.State) bool { return state == v1.AttemptCompleted || state == v1.Completed }
