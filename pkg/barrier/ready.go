package barrier

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// counts say how far a Framework is.
type counts struct{ ready, total int }

func (c counts) passed() bool { return c.ready >= c.total }

// count applies the ready rule (contract 10.2): a Task is ready if the spec asks for it, no scale-down is removing it,
// and its current Pod has an address, whatever its state. The address of one that waits for its retry, which those of
// the original never do, is that of a Pod that has gone. Roles whose Pods come later do not count.
func (f *framework) count() (c counts) {
	for _, wanted := range f.spec.TaskRoles {
		if f.heldBack(&wanted) {
			continue
		}
		c.total += int(wanted.TaskNumber)
		for _, t := range f.tasksOf(wanted.Name, wanted.TaskNumber) {
			if t.ready() {
				c.ready++
			}
		}
	}
	return c
}

// current reports whether the addresses are of any use to others: while no gate is open, they may be those of an attempt
// that has failed and is to be retried. One that has completed keeps what it had.
func (f *framework) current() bool { return f.open || !f.gated || f.state == v1.Completed }

func (t task) ready() bool { return !t.deletionPending && !t.retryWaits && t.ip != "" }

// tasksOf returns the Tasks of a role that the status has, as far as the spec asks for them.
func (f *framework) tasksOf(name string, wanted int32) []task {
	i := slices.IndexFunc(f.roles, func(r role) bool { return r.name == name })
	if i < 0 {
		return nil
	}
	return f.roles[i].tasks[:min(len(f.roles[i].tasks), max(0, int(wanted)))]
}

// peers are the roles that both status and spec have, in the order of the status, with the Tasks that both have. Those whose
// Pods come later are none.
func (f *framework) peers() []role {
	var out []role
	for _, r := range f.roles {
		for _, wanted := range f.spec.TaskRoles {
			if wanted.Name == r.name {
				if f.heldBack(&wanted) {
					break
				}
				out = append(out, role{r.name, f.tasksOf(r.name, wanted.TaskNumber)})
				break
			}
		}
	}
	return out
}
