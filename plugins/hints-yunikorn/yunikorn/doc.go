// Package yunikorn presents the Pods of a Framework to Apache YuniKorn, which places a gang by placeholders: Pods of the same
// shape that hold nodes until the real ones take their places.
//
// It promises, for each attempt: an application <namespace>-<framework>-<attempt> of its own, as one that has ended takes no
// more Pods, in a queue; and a task group for each role, with its minimum and exactly what its Pods request and where they
// may run, since a placeholder that differs is not replaced. What YuniKorn cannot be told is refused, with a text that names
// the field.
//
//	plugin.Serve(yunikorn.New())
//
// Later answers. YuniKorn reads task groups once, with the first Pod, so they stay what they were. Pods above the minimum of
// their group, and of roles without one, are placed one by one.
package yunikorn
