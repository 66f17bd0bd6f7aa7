package kubectl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

// confirm asks the user before an operation that ends something. It does not ask if ends is empty.
func (c *changing) confirm(ctx context.Context, doing, ends string) error {
	if ends == "" || c.yes || c.dryRun != noDryRun {
		return nil
	}
	fmt.Fprintf(c.ErrOut, "%s ends %s. Continue? [y/N] ", doing, ends)
	text, err := c.answer(ctx)
	if err != nil {
		fmt.Fprintln(c.ErrOut)
		return err
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes":
		return nil
	case "":
		fmt.Fprintln(c.ErrOut)
	}
	return errors.New("nothing was done; add --yes to proceed without being asked")
}

// answer reads a line, or returns early when ctx ends: the read itself cannot be interrupted.
func (c *changing) answer(ctx context.Context) (string, error) {
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(c.In).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// thatRun phrases n running Tasks for a prompt. It is empty for none, unless the number is unknown.
func (s *stored) thatRun(running int) string {
	switch {
	case s.broken != nil:
		return "an unknown number of running Tasks, as its status does not decode"
	case running == 0:
		return ""
	}
	return pluralThatRun(running)
}

func pluralThatRun(n int) string {
	if n == 1 {
		return "1 running Task"
	}
	return fmt.Sprintf("%d running Tasks", n)
}

// runningTasks counts the chosen Tasks that run or are about to.
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

func allTasks(string, *v1.TaskStatus) bool { return true }
