package controller

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Observer is notified of the controller's activity, for metrics. Its methods are called within rounds, by many goroutines at
// once: they must be quick and must not block.
type Observer interface {
	// RoundEnded: a round of a Framework has ended; Stale if somebody else had written the object in the meantime.
	RoundEnded(took time.Duration, o Outcome)
	// StatusWritten: a status was sent in a request of this size; Stale as above, Refused if it cannot be stored.
	StatusWritten(bytes int, took time.Duration, o Outcome)
	// ActionEnded: a request for an action of the lifecycle was sent. Action is one of Actions; Refused if another try would get
	// the same answer.
	ActionEnded(action string, took time.Duration, o Outcome)
	// AttemptCompleted: an attempt has completed, and this is stored.
	AttemptCompleted(of Subject, s *v1.CompletionStatus)
	// Retried: another attempt begins, and this is stored. Accountable: it counts against maxRetryCount.
	Retried(of Subject, accountable bool)
	// NodeAvoided: Pods of a Framework avoid one more node, and this is stored. Advised: by a plugin rather than by a retry
	// policy.
	NodeAvoided(advised bool)
	// NodesNeeded: number nodes may be used again although they had to be avoided, as there were no others, and this is stored.
	NodesNeeded(number int)
	// Deleted: the API server has accepted the deletion of an object, for this cause. It is reported once for each object and
	// cause.
	Deleted(kind reason.Kind, cause reason.Cause)
	// HistoryDropped: a sink of the history lacks this number of records, and nobody waits for it any longer.
	HistoryDropped(records int)
	// LogsNotCollected: the logs of a Pod that is deleted are not kept, or not known to be. A Pod is counted once for each time that
	// its logs were asked for.
	LogsNotCollected(why LogsMissed)
	// ShadowVerdict: a classifier or a rule in shadow was asked about a Pod, or was to be.
	ShadowVerdict(by consult.InShadow, outcome consult.ShadowOutcome)
	// WatchBroke: listing or watching a resource has ended with an error, and starts over. A watch that resumes after a lost
	// connection is not reported.
	WatchBroke(resource string)
}

// Outcome is the result of a round, a write or an action.
type Outcome string

// The outcomes, as labels of metrics.
const (
	Done    Outcome = "done"
	Stale   Outcome = "stale"
	Refused Outcome = "refused"
	Failed  Outcome = "failed"
)

// Subject is the kind of thing that has attempts.
type Subject string

// The subjects.
const (
	OfFramework Subject = "framework"
	OfTask      Subject = "task"
)

// Actions returns the names of the actions that are reported to an Observer.
func Actions() []string {
	return []string{
		createConfigMap, deleteConfigMap, readConfigMap, readItems, createPod, deletePod, readPod, deleteFramework,
		keepService, keepSecret, deleteService, deleteSecret, keepClaim, deleteClaim,
	}
}

const (
	createConfigMap = "create_configmap"
	deleteConfigMap = "delete_configmap"
	readConfigMap   = "read_configmap"
	readItems       = "read_items"
	createPod       = "create_pod"
	deletePod       = "delete_pod"
	readPod         = "read_pod"
	deleteFramework = "delete_framework"
	keepService     = "keep_service"
	keepSecret      = "keep_secret"
	deleteService   = "delete_service"
	deleteSecret    = "delete_secret"
	keepClaim       = "keep_claim"
	deleteClaim     = "delete_claim"
)

func actionName(a lifecycle.Action) string {
	switch a := a.(type) {
	case lifecycle.CreateConfigMap:
		return createConfigMap
	case lifecycle.DeleteConfigMap:
		return deleteConfigMap
	case lifecycle.ReadConfigMap:
		return readConfigMap
	case lifecycle.ReadItems:
		return readItems
	case lifecycle.CreatePod:
		return createPod
	case lifecycle.DeletePod:
		return deletePod
	case lifecycle.ReadPod:
		return readPod
	case lifecycle.KeepCompanion:
		return map[lifecycle.Companion]string{lifecycle.NameService: keepService, lifecycle.KeySecret: keepSecret}[a.Companion]
	case lifecycle.DeleteCompanion:
		return map[lifecycle.Companion]string{lifecycle.NameService: deleteService, lifecycle.KeySecret: deleteSecret}[a.Companion]
	case lifecycle.KeepClaim:
		return keepClaim
	case lifecycle.DeleteClaim:
		return deleteClaim
	}
	return deleteFramework
}

// roundOutcome classifies the error of a round.
func roundOutcome(err error) Outcome {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, errStale):
		return Stale
	}
	return Failed
}

// writeOutcome classifies the error of a status write.
func writeOutcome(err error) Outcome {
	switch {
	case err == nil:
		return Done
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return Stale
	case apierrors.IsInvalid(err), tooLarge(err):
		return Refused
	}
	return Failed
}

// unobserved is the Observer that ignores everything.
type unobserved struct{}

func (unobserved) RoundEnded(time.Duration, Outcome) {}

func (unobserved) StatusWritten(int, time.Duration, Outcome) {}

func (unobserved) ActionEnded(string, time.Duration, Outcome) {}

func (unobserved) AttemptCompleted(Subject, *v1.CompletionStatus) {}

func (unobserved) Retried(Subject, bool) {}

func (unobserved) NodeAvoided(bool) {}

func (unobserved) NodesNeeded(int) {}

func (unobserved) Deleted(reason.Kind, reason.Cause) {}

func (unobserved) HistoryDropped(int) {}

func (unobserved) LogsNotCollected(LogsMissed) {}

func (unobserved) ShadowVerdict(consult.InShadow, consult.ShadowOutcome) {}

func (unobserved) WatchBroke(string) {}
