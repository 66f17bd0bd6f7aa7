package historyapi

import "time"

// ChangeEvent is the name of an event in a stream of changes.
type ChangeEvent string

const (
	// RowsChanged: rows were stored, or may have been. Its data is a Change. The first one comes at once, so that a client that reads upon each misses none.
	RowsChanged ChangeEvent = "changed"
	// FrameworkEnded: the Framework that was asked for is over, and the stream ends. Its data is a Change.
	FrameworkEnded ChangeEvent = "ended"
	// ReadingRefused: the sender may no longer read, or that cannot be reviewed, and the stream ends. Its data is an Error.
	ReadingRefused ChangeEvent = "refused"
)

// Change is the data of an event in a stream of changes.
type Change struct {
	// Time is when the server has noticed the change.
	Time time.Time `json:"time"`
	// State is the state of a Framework that is over.
	State string `json:"state,omitempty"`
}
