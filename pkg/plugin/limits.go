package plugin

// Limits of the contract. A plugin may rely on them.
const (
	// MaxMessage is the maximum size of a question or an answer in bytes.
	MaxMessage = 4 << 20
	// MaxBatch is the maximum number of Pods in a question to a FailureClassifier.
	MaxBatch = 256
	// MaxRecords is the maximum number of records in a request to a HistorySink.
	MaxRecords = 1000
)
