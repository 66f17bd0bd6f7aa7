package controller

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// savedStatus is the status that is stored, as far as this process knows, and how the next is written.
//
// Invariant: whatever was started was called for by saved at that moment.
// Invariant: rewrite implies that saved is not nil.
// Invariant: uncertain has no write from before the last one that is known to have taken effect.
type savedStatus struct {
	saved   *lifecycle.State   // as last stored; nil if there is no status
	cutting statusjson.Cutting // of the messages of saved, when that was stored
	rewrite bool               // the stored status is not saved any more, and is to be replaced by it
	// uncertain are states that may be stored, or come to be stored, although their writing failed.
	uncertain []uncertainWrite
	room      int // bytes that the status may have, so that the object can be stored
	encoder   statusjson.Encoder
}
