package lifecycle

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Action is a request to the outside world. Every action is safe to repeat, and is requested again until the observation shows
// it done. Its text form is stable, for logs and stories. A deletion carries its cause, for people and programs that ask
// later; the cause does not affect how the object is deleted.
type Action interface {
	fmt.Stringer
	action()
}

type (
	// CreateConfigMap creates the ConfigMap of the current attempt.
	CreateConfigMap struct{ AttemptID int32 }

	// DeleteConfigMap deletes the attempt's ConfigMap if it has this UID: after the objects that it owns, or, with Force, at
	// once, provided that it no longer owns any Pod.
	DeleteConfigMap struct {
		UID   types.UID
		Force bool
		Why   reason.Deletion
	}

	// ReadConfigMap asks the API server which object holds the ConfigMap's name.
	ReadConfigMap struct{}

	// ReadItems reads the ConfigMap that has the items of a role.
	ReadItems struct{ Role string }

	// CreatePod creates the Pod of the Task's current attempt, identified by TaskUID and AttemptID.
	CreatePod struct {
		Task      TaskRef
		TaskUID   string
		AttemptID int32
	}

	// DeletePod deletes the Task's Pod if it has this UID: gracefully, or at once with Force. If GraceSeconds is 0, the Pod's own
	// grace period applies.
	DeletePod struct {
		Task         TaskRef
		UID          types.UID
		Force        bool
		GraceSeconds int32
		Why          reason.Deletion
	}

	// ReadPod asks the API server which object holds the name of the Task's Pod.
	ReadPod struct{ Task TaskRef }

	// ClassifyPod asks for the meaning of the failure of the Task's Pod, which has this UID.
	ClassifyPod struct {
		Task TaskRef
		UID  types.UID
	}

	// JudgeStart asks whether the Task's Pod, which has this UID, may take longer to run; Kind is the kind of its obstacle.
	JudgeStart struct {
		Task TaskRef
		UID  types.UID
		Kind string
	}

	// DecideCompletion asks whether the attempt should end; Digest identifies the facts on which the answer depends.
	DecideCompletion struct{ Digest string }

	// AskHints asks how to present the attempt's Pods to a scheduler, at a scale (v1.SchedulerHints). Anew: the scheduling part
	// of the spec has changed since the stored answer, and no Pod depends on that answer yet.
	AskHints struct {
		Scale string
		Anew  bool
	}

	// PrepareHints creates the objects that the stored answer requires before Pods, and waits for the admission if it requires
	// one.
	PrepareHints struct{ Scale string }

	// ArchiveTask has the Task's attempt archived, which is stored as completed.
	ArchiveTask struct {
		Task      TaskRef
		TaskUID   string
		AttemptID int32
	}

	// ArchiveAttempt has the Framework's attempt archived with all its Tasks, which are stored as completed. Final: no other one
	// follows.
	ArchiveAttempt struct {
		AttemptID int32
		Final     bool
	}

	// CollectLogs has the logs of the Task's Pod collected, which has this UID. The attempt is decided, and the Pod is deleted next
	// or is being deleted.
	CollectLogs struct {
		Task TaskRef
		UID  types.UID
	}

	// KeepCompanion creates a companion of the Framework, or updates the existing one to the spec.
	KeepCompanion struct{ Companion Companion }

	// DeleteCompanion deletes a companion, if it belongs to the Framework.
	DeleteCompanion struct{ Companion Companion }

	// KeepClaim creates a PersistentVolumeClaim of a volume, or makes sure that the existing one may be used.
	KeepClaim struct{ Claim ClaimRef }

	// DeleteClaim deletes a PersistentVolumeClaim of a volume, if it belongs to the Framework.
	DeleteClaim struct{ Claim ClaimRef }

	// DeleteFramework deletes the Framework itself after its retention time.
	DeleteFramework struct{}
)

func (CreateConfigMap) action()  {}
func (DeleteConfigMap) action()  {}
func (ReadConfigMap) action()    {}
func (ReadItems) action()        {}
func (CreatePod) action()        {}
func (DeletePod) action()        {}
func (ReadPod) action()          {}
func (ClassifyPod) action()      {}
func (JudgeStart) action()       {}
func (DecideCompletion) action() {}
func (AskHints) action()         {}
func (PrepareHints) action()     {}
func (ArchiveTask) action()      {}
func (ArchiveAttempt) action()   {}
func (CollectLogs) action()      {}
func (KeepCompanion) action()    {}
func (DeleteCompanion) action()  {}
func (KeepClaim) action()        {}
func (DeleteClaim) action()      {}
func (DeleteFramework) action()  {}

func (a CreateConfigMap) String() string {
	return fmt.Sprintf("create configmap attempt=%d", a.AttemptID)
}
func (a DeleteConfigMap) String() string {
	return fmt.Sprintf("delete configmap uid=%s%s cause=%s", a.UID, forced(a.Force), a.Why)
}
func (a ReadConfigMap) String() string { return "read configmap" }
func (a ReadItems) String() string     { return "read items " + a.Role }
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
	return fmt.Sprintf("judge start %s uid=%s %s", a.Task, a.UID, a.Kind)
}
func (a DecideCompletion) String() string { return "decide completion " + a.Digest }
func (a AskHints) String() string {
	if a.Anew {
		return "ask hints anew " + a.Scale
	}
	return "ask hints " + a.Scale
}
func (a PrepareHints) String() string { return "prepare hints " + a.Scale }
func (a ArchiveTask) String() string {
	return fmt.Sprintf("archive task %s attempt=%d", a.Task, a.AttemptID)
}
func (a ArchiveAttempt) String() string {
	return fmt.Sprintf("archive attempt=%d", a.AttemptID)
}
func (a CollectLogs) String() string     { return fmt.Sprintf("collect logs %s uid=%s", a.Task, a.UID) }
func (a KeepCompanion) String() string   { return "keep " + string(a.Companion) }
func (a DeleteCompanion) String() string { return "delete " + string(a.Companion) }
func (a KeepClaim) String() string       { return "keep claim " + a.Claim.String() }
func (a DeleteClaim) String() string     { return "delete claim " + a.Claim.String() }
func (a DeleteFramework) String() string { return "delete framework" }

func forced(yes bool) string {
	if yes {
		return " force"
	}
	return ""
}

func (t TaskRef) String() string { return v1.TaskName(t.Role, t.Index) }

// String names the claim as its name does, without the Framework.
func (c ClaimRef) String() string { return strings.TrimPrefix(c.Name(""), "-") }
