package historyapi

// FirstFailure is the attempt of a Task that failed first in an attempt of a Framework.
type FirstFailure struct {
	FrameworkAttempt int32 `json:"frameworkAttempt"`
	// Task has containers and requests; nil if no Task failed by itself.
	Task *TaskAttempt `json:"task,omitempty"`
	// Why this attempt of a Task is the first failure.
	Why FirstFailureRule `json:"why"`
	// Consequences is the number of failures that ended later. They may have another cause.
	Consequences int64 `json:"consequences"`
	// DisruptionsBefore is the number of disruptions and conflicts that ended earlier.
	DisruptionsBefore int64 `json:"disruptionsBefore"`
	// EndedByOthers is the number of attempts of Tasks that did not fail, but were ended: cut short by the end of the attempt,
	// restarted with another Task, or removed.
	EndedByOthers int64 `json:"endedByOthers"`
}

// FirstFailureRule is the rule by which a failure is the first one.
type FirstFailureRule string

const (
	// FailedFirst: it ended before all others that failed by themselves.
	FailedFirst FirstFailureRule = "FailedFirst"
	// DisruptedFirst: only disruptions and conflicts ended attempts of Tasks, and it ended before all others.
	DisruptedFirst FirstFailureRule = "DisruptedFirst"
	// NoneFailed: no attempt of a Task failed; there is no Task.
	NoneFailed FirstFailureRule = "NoneFailed"
)
