package lifecycle

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Action is something to do to the world. Every action is safe to repeat, and is asked for again until the
// observation shows it done. Its text form is stable, for logs and stories. What is deleted says why, for people and programs that
// ask later: that changes nothing about how it is deleted.
type Action interface {
	fmt.Stringer
	action()
}

type (
	// CreateConfigMap creates the ConfigMap of the current attempt.
	CreateConfigMap struct{ AttemptID int32 }

	// DeleteConfigMap deletes the attempt's ConfigMap if it has this UID: after what it owns, or, with Force, at once,
	// provided that it owns no Pod any more.
	DeleteConfigMap struct {
		UID   types.UID
		Force bool
		Why   reason.Deletion
	}

	// ReadConfigMap asks the API server what holds the ConfigMap's name.
	ReadConfigMap struct{}

	// CreatePod creates the Pod of the Task's current attempt, which TaskUID and AttemptID name.
	CreatePod struct {
		Task      TaskRef
		TaskUID   string
		AttemptID int32
	}

	// DeletePod deletes the Task's Pod if it has this UID: gracefully, or at once with Force. GraceSeconds of 0 leave it to the
	// Pod how long it takes.
	DeletePod struct {
		Task         TaskRef
		UID          types.UID
		Force        bool
		GraceSeconds int32
		Why          reason.Deletion
	}

	// ReadPod asks the API server what holds the name of the Task's Pod.
	ReadPod struct{ Task TaskRef }

	// ClassifyPod asks what the failure of the Task's Pod, which has this UID, means.
	ClassifyPod struct {
		Task TaskRef
		UID  types.UID
	}

	// JudgeStart asks whether the Task's Pod, which has this UID, may go on not to run: of that kind of thing that keeps it.
	JudgeStart struct {
		Task TaskRef
		UID  types.UID
		Kind string
	}

	// DecideCompletion asks whether the attempt is to end; Digest stands for what that depends on.
	DecideCompletion struct{ Digest string }

	// AskHints asks how the attempt's Pods are to be presented to a scheduler, at a scale (v1.SchedulerHints). Anew: the spec
	// says something else about scheduling than when the stored answer was given, and no Pod goes by that yet.
	AskHints struct {
		Scale string
		Anew  bool
	}

	// PrepareHints makes what the stored answer wants to exist before Pods, and waits for what it wants to wait for.
	PrepareHints struct{ Scale string }

	// KeepCompanion makes a companion of the Framework, or has the one that there is become what the spec asks for.
	KeepCompanion struct{ Companion Companion }

	// DeleteCompanion deletes a companion, if it is the Framework's.
	DeleteCompanion struct{ Companion Companion }

	// DeleteFramework deletes the Framework itself, whose time to be kept is over.
	DeleteFramework struct{}
)

func (CreateConfigMap) action()  {}
func (DeleteConfigMap) action()  {}
func (ReadConfigMap) action()    {}
func (CreatePod) action()        {}
func (DeletePod) action()        {}
func (ReadPod) action()          {}
func (ClassifyPod) action()      {}
func (JudgeStart) action()       {}
func (DecideCompletion) action() {}
func (AskHints) action()         {}
func (PrepareHints) action()     {}
func (KeepCompanion) action()    {}
func (DeleteCompanion) action()  {}
func (DeleteFramework) action()  {}

func (a CreateConfigMap) String() string {
	return fmt.Sprintf("create configmap attempt=%d", a.AttemptID)
}
func (a DeleteConfigMap) String() string {
	return fmt.Sprintf("delete configmap uid=%s%s cause=%s", a.UID, forced(a.Force), a.Why)
}
func (a ReadConfigMap) String() string { return "read configmap" }
func (a CreatePod) String() string {
	return fmt.Sprintf("create pod %s attempt=%d", a.Task, a.AttemptID)
}
func (a DeletePod) String() string {
	grace := ""
	if a.GraceSeconds > 0 {
		grace = fmt.Sprintf(" grace=%ds", a.GraceSeconds)
	}
	return fmt.Sprintf("delete pod %s uid=%s%s%s cause=%s", a.Task, a.UID, forced(a.Force), grace, a.Why)
}
func (a ReadPod) String() string     { return fmt.Sprintf("read pod %s", a.Task) }
func (a ClassifyPod) String() string { return fmt.Sprintf("classify pod %s uid=%s", a.Task, a.UID) }
func (a JudgeStart) String() string {
	return fmt.Sprintf("judge start of pod %s uid=%s %s", a.Task, a.UID, a.Kind)
}
func (a DecideCompletion) String() string { return "decide completion " + a.Digest }
func (a AskHints) String() string {
	if a.Anew {
		return "ask hints anew " + a.Scale
	}
	return "ask hints " + a.Scale
}
func (a PrepareHints) String() string    { return "prepare hints " + a.Scale }
func (a KeepCompanion) String() string   { return "keep " + string(a.Companion) }
func (a DeleteCompanion) String() string { return "delete " + string(a.Companion) }
func (a DeleteFramework) String() string { return "delete framework" }

func forced(yes bool) string {
	if yes {
		return " force"
	}
	return ""
}

func (t TaskRef) String() string { return v1.TaskName(t.Role, t.Index) }
