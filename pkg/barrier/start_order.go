package barrier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// heldBack reports whether a role gets its Pods later, so that no barrier waits for their addresses yet. A controller that opens no gates
// of roles creates all Pods at once.
func (f *framework) heldBack(role *v1.TaskRoleSpec) bool {
	return f.gates != nil && f.gates.HeldBack(role)
}

// revision changes with each opening of a role; it is empty if the controller opens none.
func (f *framework) revision() string {
	if f.gates == nil {
		return ""
	}
	return f.gates.Revision
}

// startsAfter returns this Pod's role if it starts after others; nil if it does not, or if the Pod belongs to another
// Framework.
func (w *waiter) startsAfter(f *framework) *v1.TaskRoleSpec {
	i := slices.IndexFunc(f.spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == w.settings.OwnRole })
	if i < 0 || !w.owns(f.uid) || len(f.spec.TaskRoles[i].StartAfter) == 0 {
		return nil
	}
	return &f.spec.TaskRoles[i]
}

// mayStart reports whether this Pod's role may start in this Pod's attempt.
func (w *waiter) mayStart(f *framework) bool {
	role := w.startsAfter(f)
	return role == nil || f.attempt == w.settings.OwnAttempt && !f.gates.Closed(role)
}

// ofRole waits for the gate of this Pod's role, once every Task has an address. Each opening of a role is one event.
func (w *waiter) ofRole(ctx context.Context, f *framework) (*framework, error) {
	for !w.mayStart(f) {
		w.tellRole(f)
		opens := fields.OneTermNotEqualSelector("status.gates.revision", f.revision())
		var err error
		if f, err = w.watch(ctx, opens, f.resourceVersion, renewal(), func(*framework) bool { return true }); err != nil {
			return nil, err
		}
	}
	if !w.passed(f) { // an address has been lost in the meantime
		return nil, errClosed
	}
	return f, nil
}

// tellRole logs the reason for which the role waits, each time it changes.
func (w *waiter) tellRole(f *framework) {
	text := w.roleNotReady(f)
	if text == "" || text == w.toldRole || !f.count().passed() {
		return
	}
	w.toldRole = text
	if f.gates == nil {
		w.log.Warn(text)
		return
	}
	w.log.Info(text)
}

// roleNotReady describes why this Pod's role may not start; empty if it may.
func (w *waiter) roleNotReady(f *framework) string {
	if w.mayStart(f) {
		return ""
	}
	role := w.startsAfter(f)
	var after []string
	for _, s := range role.StartAfter {
		if s.Framework != "" {
			continue // it has completed before this Pod was created
		}
		after = append(after, fmt.Sprintf("role %s is %s", s.Role, s.Needs()))
	}
	text := fmt.Sprintf("role %s may not start yet, because its startAfter requires that %s", role.Name, strings.Join(after, " and "))
	if f.gates == nil {
		text += ", but there are no status.gates to show it: unless the Framework was changed a moment ago, its controller is older than startAfter, and must be upgraded"
	}
	return text
}
