// Package yunikorn presents the Pods of a Framework to Apache YuniKorn, which places a gang by placeholders: Pods of the same
// shape that hold nodes until the real ones take their places.
//
// It promises, for each attempt: an application <namespace>-<framework>-<attempt> of its own, in a queue, as an ended
// application takes no more Pods; and a task group for each role. The group has the minimum of the role, and exactly the
// requests and placement rules of its Pods, since a placeholder that differs is not replaced. A setting that YuniKorn does not
// support is refused, with a text that names the field.
//
//	plugin.Serve(yunikorn.New())
//
// Later answers. YuniKorn reads task groups once, with the first Pod, so they never change. Pods above the minimum of
// their group, and Pods of roles without a group, are placed one by one.
package yunikorn
