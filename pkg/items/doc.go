// Package items reads the items of a role: a value for each of its Tasks.
//
// It promises that equal items have equal digests, wherever they come from, and that a list which it returns can be put into the
// environment of containers. It is pure, and a List is immutable.
//
//	list, err := items.FromValues(role.Items.Values) // of the spec
//	list, err := items.FromLines(configMap.Data[key]) // of a ConfigMap
//	frozen := list.Status()                           // stored with the attempt
//	list.BeginsWith(frozen)                           // may Pods of the attempt still be created from it?
//	list.At(index).Variables()                        // for the Pod of a Task
package items
