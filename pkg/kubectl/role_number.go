package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The CRD has the same bounds.
const (
	maxTasks     = 10_000
	maxThreshold = 1<<31 - 1
)

// roleNumber parses ROLE=NUMBER. The caller puts the argument before its error.
func roleNumber(arg string, least, most int64) (role string, n int32, err error) {
	role, number, ok := strings.Cut(arg, "=")
	if !ok || role == "" {
		return "", 0, errors.New("write it as ROLE=NUMBER, such as worker=4")
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil || value < least || value > most {
		return "", 0, fmt.Errorf("the number must be from %d to %d", least, most)
	}
	return role, int32(value), nil
}

// roleIndex returns the position of a role; -1 if it does not exist.
func roleIndex(roles []v1.TaskRoleSpec, name string) int {
	return slices.IndexFunc(roles, func(r v1.TaskRoleSpec) bool { return r.Name == name })
}

func roleNames(roles []v1.TaskRoleSpec) (names []string) {
	for i := range roles {
		names = append(names, roles[i].Name)
	}
	return names
}

// theRoles lists the roles of a Framework in a message about one that it does not have.
func theRoles(names []string) string {
	switch len(names) {
	case 0:
		return "it has no roles"
	case 1:
		return "its only role is " + names[0]
	}
	return "its roles are " + strings.Join(names, ", ")
}
