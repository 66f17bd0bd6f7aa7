package kubectl

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

// confirm asks whether so many Tasks that run are to be ended. It does not ask about none, unless that is not known.
func (c *changing) confirm(s *stored, running int, doing string) error {
	if running == 0 && s.broken == nil || c.yes || c.dryRun != "none" {
		return nil
	}
	what := pluralThatRun(running)
	if s.broken != nil {
		what = "what runs of it, which its status does not tell"
	}
	fmt.Fprintf(c.ErrOut, "%s ends %s. Go on? [y/N] ", doing, what)
	text, _ := bufio.NewReader(c.In).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes":
		return nil
	case "":
		fmt.Fprintln(c.ErrOut)
	}
	return errors.New("nothing was done; add --yes to go on without being asked")
}

func pluralThatRun(n int) string {
	if n == 1 {
		return "1 Task that runs"
	}
	return fmt.Sprintf("%d Tasks that run", n)
}

// runningTasks counts the Tasks that run, or are about to, among those that are chosen.
func (s *stored) runningTasks(chosen func(role string, t *v1.TaskStatus) bool) (n int) {
	if s.Status == nil {
		return 0
	}
	for _, role := range s.Status.AttemptStatus.TaskRoleStatuses {
		for i := range role.TaskStatuses {
			t := &role.TaskStatuses[i]
			standing := explain.StandingOf(t)
			runs := standing == explain.Running || standing == explain.Starting && t.AttemptStatus.PodUID != nil
			if runs && chosen(role.Name, t) {
				n++
			}
		}
	}
	return n
}

// tasksThat counts the Tasks of a role that stand so.
func (s *stored) tasksThat(role string, standing explain.Standing) (n int) {
	if s.Status == nil {
		return 0
	}
	for _, r := range s.Status.AttemptStatus.TaskRoleStatuses {
		for i := range r.TaskStatuses {
			if r.Name == role && explain.StandingOf(&r.TaskStatuses[i]) == standing {
				n++
			}
		}
	}
	return n
}

func allTasks(string, *v1.TaskStatus) bool { return true }
