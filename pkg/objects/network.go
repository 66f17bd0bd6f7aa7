package objects

import (
	"strconv"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Network is the information that the Pods of a Framework get about each other.
type Network struct {
	// hosts: a Pod gets its name as hostname, and as subdomain the name of its Framework's Service.
	hosts bool
	// Roles in the order of the spec. If several have the same name, the first counts.
	roles []roleSize
	// Environment of all containers. It is rendered once for all roles, because it lists each of them.
	environment pattern
}

// roleSize is the number of Tasks of a role.
type roleSize struct {
	role  string
	tasks int32
}

// NetworkOf returns the network of a spec; nil if it has none.
func NetworkOf(spec *v1.FrameworkSpec) *Network {
	if spec.Network == nil {
		return nil
	}
	n := &Network{hosts: spec.Network.DNS}
	seen := map[string]bool{}
	for i := range spec.TaskRoles {
		if role := &spec.TaskRoles[i]; !seen[role.Name] {
			seen[role.Name] = true
			n.roles = append(n.roles, roleSize{role.Name, role.TaskNumber})
		}
	}
	n.environment = withoutBrackets(jsonPattern(append(predefined(), n.variables()...)))
	return n
}

// firstRank is the rank of a role's first Task among all Tasks.
func (n *Network) firstRank(role string) (rank int64) {
	for _, r := range n.roles {
		if r.role == role {
			break
		}
		rank += int64(r.tasks)
	}
	return rank
}

// variables are the environment variables about the other roles and Tasks.
func (n *Network) variables() []any {
	var total int64
	for _, r := range n.roles {
		total += int64(r.tasks)
	}
	env := []any{constant(v1.KeyTaskCount, total), envVar(taskRank)}
	for _, r := range n.roles {
		env = append(env, constant(v1.PrefixTaskCount+r.role, int64(r.tasks)))
	}
	return env
}

func constant(name string, value int64) map[string]any {
	return map[string]any{"name": name, "value": strconv.FormatInt(value, 10)}
}

// setHost sets hostname and subdomain in a Pod's spec, by which DNS finds it, unless the template sets others.
func setHost(spec object) {
	for key, value := range map[string]variable{"hostname": hostname, "subdomain": serviceName} {
		if given := spec.fields[key]; given == nil || given == "" {
			spec.fields[key] = value
		}
	}
}
