package controller

import (
	"encoding/json"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// managedElsewhere reports whether a stored spec leaves the Framework to another controller. That never changes, so nothing
// else of it is looked at, and nothing is told of it: neither its status nor its events are ours to write. A spec that does
// not say so in the way that it has to is ours, and is found to be invalid.
func managedElsewhere(spec json.RawMessage) bool {
	var who struct {
		ManagedBy string `json:"managedBy"`
	}
	err := json.Unmarshal(spec, &who)
	return err == nil && who.ManagedBy != "" && who.ManagedBy != v1.ManagedByThis
}
