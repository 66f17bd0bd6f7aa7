package gates_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
)

// specOf reads roles such as "w:2 after=ps/Running,init/Succeeded".
func specOf(lines ...string) *v1.FrameworkSpec {
	spec := &v1.FrameworkSpec{}
	for _, line := range lines {
		head, after, _ := strings.Cut(line, " after=")
		role := v1.TaskRoleSpec{}
		role.Name, _, _ = strings.Cut(head, ":")
		if _, err := fmt.Sscanf(head[len(role.Name):], ":%d", &role.TaskNumber); err != nil {
			panic(err)
		}
		for _, s := range strings.FieldsFunc(after, func(c rune) bool { return c == ',' }) {
			name, when, _ := strings.Cut(s, "/")
			role.StartAfter = append(role.StartAfter, v1.StartAfterSpec{Role: name, When: v1.StartWhen(when)})
		}
		spec.TaskRoles = append(spec.TaskRoles, role)
	}
	return spec
}

func rolesOf(spec *v1.FrameworkSpec, progress map[string]gates.Progress) (roles []gates.Role) {
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		roles = append(roles, gates.Role{Spec: role, Wanted: int(role.TaskNumber), Progress: progress[role.Name]})
	}
	return roles
}

func TestOpen(t *testing.T) {
	chain := specOf("server:1", "worker:2 after=server/Running", "report:1 after=worker/Succeeded", "mail:1 after=report/Ready")
	all := func(names ...string) []string { return names }
	for name, c := range map[string]struct {
		spec          *v1.FrameworkSpec
		progress      map[string]gates.Progress
		old           *v1.RoleGates
		created, open []string // of the next gates
		revision      string
		new           []string
	}{
		"at first only roles that wait for success, and those after them, have no Pods": {
			spec: chain, created: all("worker"), revision: "0_u/1", new: all("worker"),
		},
		"a role may start when the one before it runs": {
			spec: chain, old: &v1.RoleGates{Created: all("worker"), Revision: "0_u/1"},
			progress: map[string]gates.Progress{"server": {Running: 1}},
			created:  all("worker"), open: all("worker"), revision: "0_u/2",
		},
		"one of two successes is not enough": {
			spec: chain, old: &v1.RoleGates{Created: all("worker"), Open: all("worker"), Revision: "0_u/2"},
			progress: map[string]gates.Progress{"server": {Running: 1}, "worker": {Completed: 1, Succeeded: 1}},
			created:  all("worker"), open: all("worker"), revision: "0_u/2",
		},
		"success creates all that come after it, and opens the first of them": {
			spec: chain, old: &v1.RoleGates{Created: all("worker"), Open: all("worker"), Revision: "0_u/2"},
			progress: map[string]gates.Progress{"server": {Running: 1}, "worker": {Completed: 2, Succeeded: 2}},
			created:  all("mail", "report", "worker"), open: all("report", "worker"), revision: "0_u/3", new: all("report", "mail"),
		},
		"an open gate stays open, whatever becomes of the Tasks": {
			spec: chain, old: &v1.RoleGates{Created: all("mail", "report", "worker"), Open: all("mail", "report", "worker"), Revision: "0_u/4"},
			created: all("mail", "report", "worker"), open: all("mail", "report", "worker"), revision: "0_u/4",
		},
		"a new attempt begins its own revisions": {
			spec: chain, old: &v1.RoleGates{Created: all("worker"), Revision: "older/7"},
			created: all("worker"), revision: "0_u/1",
		},
		"roles in a circle never get Pods": {
			spec:    specOf("a:1 after=b/Running", "b:1 after=a/Running", "c:1 after=d/Succeeded", "d:1 after=c/Succeeded"),
			created: nil, revision: "0_u/1",
		},
		"a role that does not exist is not waited for": {
			spec: specOf("a:1 after=none/Succeeded"), created: all("a"), open: all("a"), revision: "0_u/1", new: all("a"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			next, created := gates.Open(rolesOf(c.spec, c.progress), nil, c.old, "0_u")
			if !slices.Equal(next.Created, c.created) || !slices.Equal(next.Open, c.open) || next.Revision != c.revision || !slices.Equal(created, c.new) {
				t.Errorf("got %+v, new %v", *next, created)
			}
			if again, created := gates.Open(rolesOf(c.spec, c.progress), nil, next, "0_u"); again != next || created != nil {
				t.Errorf("the same again gives %+v, new %v", *again, created)
			}
		})
	}
	if next, created := gates.Open(rolesOf(specOf("a:1"), nil), nil, &v1.RoleGates{Revision: "0_u/1"}, "0_u"); next != nil || created != nil {
		t.Errorf("without a start order: %v, %v", next, created)
	}
}

func TestCircle(t *testing.T) {
	spec := specOf("a:1 after=b/Running", "b:1 after=c/Ready", "c:1 after=b/Succeeded", "d:1 after=none/Running,e/Running", "e:1", "f:1 after=f/Running")
	for from, want := range map[string][]string{"a": {"b", "c"}, "b": {"b", "c"}, "c": {"c", "b"}, "d": nil, "f": {"f"}, "none": nil} {
		if got := gates.Circle(spec, from); !slices.Equal(got, want) {
			t.Errorf("from %s: %v", from, got)
		}
	}
}
