package plugin

// Kind is what a plugin is asked about. It is the name of a gRPC service in plugin.proto, and what the controller's
// configuration has as the kind of a plugin. The empty Kind is none.
type Kind string

// The kinds. Each has an interface of the same name, which a Plugin serves it by.
const (
	KindFailureClassifier Kind = "FailureClassifier"
	KindCompletionPolicy  Kind = "CompletionPolicy"
	KindSchedulerHints    Kind = "SchedulerHints"
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{KindFailureClassifier, KindCompletionPolicy, KindSchedulerHints} }
