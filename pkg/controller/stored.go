package controller

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stored is the Framework's object, as the API server held it when it was last read.
//
// Invariant: version is empty exactly as long as the object was never read.
// Invariant: while unread, no round decides anything; the object is read first.
// Invariant: while leftAlone is not nil, no round decides anything; it becomes nil when the object is read.
type stored struct {
	meta metav1.ObjectMeta
	spec json.RawMessage // nil before the first read, and if it is not held for a Framework that is left out
	// rawStatus is the status of a Framework that is left alone, as it makes no sense.
	rawStatus json.RawMessage
	// version is the resourceVersion that the object was read with, or that its status was stored as since.
	version   string
	unread    bool
	leftAlone error // why the stored object is left alone; nil if it is not
	elsewhere bool  // another controller runs the Framework, and always will: it is neither read again nor written
}

// storedFramework is a Framework as the API server holds it. It is decoded only so far that what does not fit can be
// told.
type storedFramework struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     json.RawMessage   `json:"spec"`
	Status   json.RawMessage   `json:"status"`
}

// leftOut is what a Framework would make this process hold, that was left out for it; zero if it was not.
type leftOut struct{ own, pods int64 }
