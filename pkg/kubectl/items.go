package kubectl

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
)

// longestItem is the maximum number of bytes of an item in a table, without the dots behind one that is longer.
const longestItem = 37

// items returns the lists of items of the attempt, by role, as far as they are known: those of the history and those that the caller may
// not read are left out.
func (f *found) items(ctx context.Context, s *stored) map[string]*items.List {
	if f.cluster == nil || f.attempt != nil {
		return specItems(s)
	}
	return f.cluster.items(ctx, s)
}

func (k *cluster) items(ctx context.Context, s *stored) map[string]*items.List {
	lists := specItems(s)
	for i := range s.Spec.TaskRoles {
		role := &s.Spec.TaskRoles[i]
		if lists == nil || role.Items == nil || role.Items.ConfigMapKeyRef == nil {
			continue
		}
		ref := role.Items.ConfigMapKeyRef
		found, err := k.core.CoreV1().ConfigMaps(k.namespace).Get(ctx, ref.Name, metav1.GetOptions{})
		if err != nil {
			continue
		}
		if list, err := items.FromLines(found.Data[ref.Key]); err == nil {
			lists[role.Name] = list
		}
	}
	return lists
}

// specItems returns the lists in the spec, by role; nil if no role of the attempt has items.
func specItems(s *stored) map[string]*items.List {
	if s.Status == nil || !hasItems(s.Status) {
		return nil
	}
	lists := map[string]*items.List{}
	for i := range s.Spec.TaskRoles {
		role := &s.Spec.TaskRoles[i]
		if role.Items == nil || role.Items.ConfigMapKeyRef != nil {
			continue
		}
		if list, err := items.FromValues(role.Items.Values); err == nil {
			lists[role.Name] = list
		}
	}
	return lists
}

func hasItems(status *v1.FrameworkStatus) bool {
	for i := range status.AttemptStatus.TaskRoleStatuses {
		if status.AttemptStatus.TaskRoleStatuses[i].Items != nil {
			return true
		}
	}
	return false
}
