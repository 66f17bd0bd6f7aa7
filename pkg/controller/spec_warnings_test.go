package controller

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// unreachableSuccess asks for more successes than there are Tasks.
func unreachableSuccess(s *v1.FrameworkSpec) {
	s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinSucceededTaskCount = 9
}

// editSpec changes a Framework's spec as users do.
func (w *world) editSpec(framework string, value any, path ...string) {
	w.Edit(apitest.Frameworks, framework, func(o *unstructured.Unstructured) {
		roles, _, _ := unstructured.NestedSlice(o.Object, "spec", "taskRoles")
		_ = unstructured.SetNestedField(roles[0].(map[string]any), value, path...)
		_ = unstructured.SetNestedSlice(o.Object, roles, "spec", "taskRoles")
		o.SetGeneration(o.GetGeneration() + 1)
	})
}

// A likely mistake in a spec is reported when the spec is new, and not by each controller that starts.
func TestSpecWarningsAreToldOnce(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", unreachableSuccess)
	w.warnedOnce("a", "SuccessUnreachable")
	w.restart()
	w.create("b")
	w.runs("b")
	w.never("it is told again", func() bool { return w.warnings("a")["SuccessUnreachable"] > 1 })
	w.editSpec("a", int64(8), "frameworkAttemptCompletionPolicy", "minSucceededTaskCount")
	w.eventually("the new spec is warned of, too", func() bool { return w.warnings("a")["SuccessUnreachable"] == 2 })
}

// An edit made while no controller ran is new, unless it no longer matters.
func TestWarningsOfWhatWasEditedMeanwhile(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("runs")
	w.running("ended")
	w.EndPod("ended-w-0", 0)
	w.reaches("ended", v1.Completed)
	w.stop()
	for _, name := range []string{"runs", "ended"} {
		w.editSpec(name, int64(9), "frameworkAttemptCompletionPolicy", "minSucceededTaskCount")
	}
	w.start()
	w.warnedOnce("runs", "SuccessUnreachable")
	if n := w.warnings("ended")["SuccessUnreachable"]; n != 0 {
		t.Errorf("%d warnings of what has ended", n)
	}
}

// The gang of a Framework is warned of when its spec is new, as other odd things in it are.
func TestGangIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", func(s *v1.FrameworkSpec) {
		s.Scheduling = &v1.SchedulingSpec{Gang: &v1.GangSpec{MinTasks: new(int32(100))}}
	})
	w.warnedOnce("a", "GangTooLarge")
}

// A template that leaves no room for a volume is reported when the spec is new, and its Pods are refused permanently.
func TestVolumeConflictIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", volume("data", v1.VolumePerTask, v1.VolumeDelete), template(`{"spec":{"containers":[{"name":"c"}],"volumes":[{"name":"data"}]}}`))
	w.warnedOnce("a", "VolumeConflict")
	w.reaches("a", v1.Completed)
	w.requireCode("a", -200)
}

// A barrier that can only wait for some Tasks is reported when the spec is new.
func TestBarrierInTurnsIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(1), func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].Task.Pod = v1.PodTemplate(`{"spec":{"initContainers":[{"name":"b","image":"frameworkbarrier"}],"containers":[{"name":"c","image":"app"}]}}`)
	})
	w.editSpec("a", int64(2), "taskNumber")
	w.editSpec("a", int64(1), "parallelism")
	w.warnedOnce("a", "BarrierInTurns")
}

// The warning is reported when the spec is new.
func TestStartNotHeldIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", func(s *v1.FrameworkSpec) {
		second := s.TaskRoles[0]
		second.Name, second.StartAfter = "second", []v1.StartAfterSpec{{Role: s.TaskRoles[0].Name}}
		s.TaskRoles = append(s.TaskRoles, second)
	})
	w.warnedOnce("a", "StartNotHeld")
}

// Contradictions in a policy are reported when the spec is new, all of a role at once, and the Framework runs.
func TestContradictionsAreWarnedOf(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].Task.RetryPolicy.Restart = v1.RestartRole
		s.TaskRoles[0].Task.RetryPolicy.Window = &v1.RetryWindowSpec{Failures: 1, WithinSec: 60}
	})
	w.warnedOnce("a", "FieldWithoutEffect")
}

// Tasks that cannot share a node are warned of when the spec is new, and run.
func TestHostPortIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(2), func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].Task.Pod = v1.PodTemplate(`{"spec":{"containers":[{"name":"c","image":"app","ports":[{"containerPort":22,"hostPort":2222}]}]}}`)
	})
	w.warnedOnce("a", "HostPortShared")
}
