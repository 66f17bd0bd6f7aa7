package checker

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
)

// itemsOf holds what is promised of items: a Pod of a role with items has one in its environment, that of its Task in the spec if the list
// there is the stored one, and the same one as the other Pods of its Task in this attempt of the Framework.
type itemsOf struct {
	seen map[string]string // by the attempt's ConfigMap and the Task
}

func newItemsOf() *itemsOf { return &itemsOf{map[string]string{}} }

func (r *itemsOf) see(t *replay, c change) {
	if c.pod == nil || c.pod.before != nil || !c.pod.after.made.ours() {
		return
	}
	made := c.pod.after.made
	f := t.frameworkOf(c.name.Namespace, made.framework, made.frameworkUID)
	if f == nil || f.Status == nil {
		return
	}
	stored := f.itemsOf(made.place.role)
	got, has := itemOf(c.pod.after.Pod)
	if stored == nil {
		return // a Pod of an attempt that the status no longer has may be created late
	}
	t.hold(SameItem, c.subject(), has && made.place.index < stored.Number, "its item is %q, there are %d", got, stored.Number)
	if role := f.role(made.place.role); role != nil && role.Items != nil {
		list, err := items.FromValues(role.Items.Values)
		if err == nil && list.BeginsWith(stored) && made.place.index < stored.Number {
			want := strings.ReplaceAll(list.At(made.place.index).String(), "$", "$$") // which the kubelet undoes
			t.hold(SameItem, c.subject(), got == want, "its item is %q, want %q", got, want)
		}
	}
	key := fmt.Sprint(types.NamespacedName{Namespace: c.name.Namespace, Name: made.framework}, made.configMapUID, made.place)
	before, known := r.seen[key]
	t.hold(SameItem, c.subject(), !known || before == got, "its item is %q, and was %q in an earlier Pod of its Task", got, before)
	r.seen[key] = got
}

// itemsOf returns what is stored of the items of a role; nil if nothing is.
func (f *framework) itemsOf(name string) *v1.ItemsStatus {
	for _, role := range f.attempt().TaskRoleStatuses {
		if role.Name == name {
			return role.Items
		}
	}
	return nil
}

// itemOf returns the item in the environment of a Pod.
func itemOf(p *corev1.Pod) (item string, ok bool) {
	for _, c := range p.Spec.Containers {
		for _, v := range c.Env {
			if v.Name == v1.KeyTaskItem {
				return v.Value, true
			}
		}
	}
	return "", false
}

// onlyItem returns a container with the item of a Pod, and nothing else; nil if it has none.
func onlyItem(p *corev1.Pod) []corev1.Container {
	item, ok := itemOf(p)
	if !ok {
		return nil
	}
	return []corev1.Container{{Env: []corev1.EnvVar{{Name: v1.KeyTaskItem, Value: item}}}}
}
