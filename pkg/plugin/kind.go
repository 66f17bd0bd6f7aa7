package plugin

// Kind is the subject of a plugin's questions, or HistorySink. It is the name of a gRPC service in plugin.proto, and the kind of a
// plugin in the controller's configuration. The empty Kind is not valid.
type Kind string

// The kinds. Each has an interface of the same name, with which a Plugin serves it.
const (
	KindFailureClassifier Kind = "FailureClassifier"
	KindCompletionPolicy  Kind = "CompletionPolicy"
	KindSchedulerHints    Kind = "SchedulerHints"
	KindHistorySink       Kind = "HistorySink"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{KindFailureClassifier, KindCompletionPolicy, KindSchedulerHints, KindHistorySink}
}
