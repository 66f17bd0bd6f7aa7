package barrier

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// counts are the progress of a Framework.
type counts struct{ ready, total int }

func (c counts) passed() bool { return c.ready >= c.total }

// count applies the ready rule (contract 10.2): a Task is ready if the spec asks for it, no scale-down is removing it,
// and its current Pod has an address, whatever its state. If a Task waits for its retry, which never happens in the
// original, its address belongs to a Pod that is gone. Roles whose Pods come later do not count, and
// a role with parallelism counts as many Tasks as may run at once: nobody waits for the addresses of the others.
func (f *framework) count() (c counts) {
	for _, wanted := range f.spec.TaskRoles {
		if f.heldBack(&wanted) {
			continue
		}
		ready, total := 0, int(wanted.AtOnce())
		for _, t := range f.tasksOf(wanted.Name, wanted.TaskNumber) {
			if t.ready() {
				ready++
			}
		}
		c.total += total
		c.ready += min(ready, total)
	}
	return c
}

// current reports whether the addresses are useful to others: while no gate is open, they may belong to an attempt that has failed and will
// be retried. A completed Framework keeps its addresses.
func (f *framework) current() bool { return f.open || !f.gated || f.state == v1.Completed }

func (t task) ready() bool { return !t.deletionPending && !t.retryWaits && t.ip != "" }

// tasksOf returns the Tasks of a role in the status that the spec asks for.
func (f *framework) tasksOf(name string, wanted int32) []task {
	i := slices.IndexFunc(f.roles, func(r role) bool { return r.name == name })
	if i < 0 {
		return nil
	}
	return f.roles[i].tasks[:min(len(f.roles[i].tasks), max(0, int(wanted)))]
}

// peers are the roles in both status and spec, in the order of the status, with the Tasks that both have. Roles whose
// Pods come later are left out, and so are Tasks without an address of a role that has parallelism.
func (f *framework) peers() []role {
	var out []role
	for _, r := range f.roles {
		for _, wanted := range f.spec.TaskRoles {
			if wanted.Name == r.name {
				if f.heldBack(&wanted) {
					break
				}
				tasks := f.tasksOf(r.name, wanted.TaskNumber)
				if wanted.Parallelism != nil {
					tasks = slices.DeleteFunc(slices.Clone(tasks), func(t task) bool { return !t.ready() })
				}
				out = append(out, role{name: r.name, tasks: tasks})
				break
			}
		}
	}
	return out
}
