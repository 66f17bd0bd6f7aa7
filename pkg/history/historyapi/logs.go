package historyapi

import "time"

// Log is what is kept of the log of one start of a container.
type Log struct {
	FrameworkAttempt int32  `json:"frameworkAttempt"`
	Role             string `json:"role"`
	Index            int32  `json:"index"`
	// Attempt of the Task.
	Attempt   int32  `json:"attempt"`
	Pod       string `json:"pod"`
	PodUID    string `json:"podUID"`
	Container string `json:"container"`
	// Init is set for init containers.
	Init bool `json:"init,omitempty"`
	// Previous is set if the kubelet has started the container again since.
	Previous bool `json:"previous,omitempty"`
	// Start counts the starts of the container in its Pod, from 0.
	Start int32 `json:"start"`
	// Begins and Ends are the times of the first and the last line that are kept; nil without lines.
	Begins *time.Time `json:"begins,omitempty"`
	Ends   *time.Time `json:"ends,omitempty"`
	// Bytes that are kept, and the bytes that they take in the database, compressed.
	Bytes       int64 `json:"bytes"`
	StoredBytes int64 `json:"storedBytes"`
	// Truncated is nil if all that the kubelet handed out is kept.
	Truncated *LogTruncation `json:"truncated,omitempty"`
	// State is reading, while the container runs, cut, if reading ended early, or none, if nothing could be read. It is complete if the
	// container has ended and the log was read to its end. A log that the kubelet had rotated before lacks its beginning.
	State string `json:"state"`
	// Error is why the state is cut or none.
	Error string `json:"error,omitempty"`
}

// States of a Log.
const (
	LogComplete = "complete"
	LogReading  = "reading"
	LogCut      = "cut"
	LogNone     = "none"
)

// LogTruncation is the part of a log that is not kept, between its head and its tail.
type LogTruncation struct {
	HeadBytes int64 `json:"headBytes"`
	// SkippedBytes is LogSkipUnknown, -1, if the number is unknown because the kubelet has rotated the log.
	SkippedBytes int64 `json:"skippedBytes"`
	TailBytes    int64 `json:"tailBytes"`
}

// LogSkipUnknown stands for an unknown number of skipped bytes.
const LogSkipUnknown = -1

// LogLine is a line of the log of a Task.
type LogLine struct {
	Time  time.Time `json:"time"`
	Role  string    `json:"role"`
	Index int32     `json:"index"`
	// Attempt of the Task.
	Attempt   int32  `json:"attempt"`
	Container string `json:"container"`
	// Text has no line feed at its end. Bytes that are no UTF-8 are replaced, and a very long line is shortened.
	Text string `json:"text"`
}
