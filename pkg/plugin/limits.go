package plugin

// Limits of the contract. A plugin may rely on them.
const (
	// MaxMessage is how many bytes a question or an answer may have.
	MaxMessage = 4 << 20
	// MaxBatch is how many Pods a FailureClassifier is asked about at once, at most.
	MaxBatch = 256
)
