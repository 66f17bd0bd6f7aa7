package kubectl

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

type scaling struct {
	changing
	succeedAt, failAt []string
}

func (c *caller) scale() *cobra.Command {
	s := &scaling{changing: changing{caller: c}}
	cmd := &cobra.Command{
		Use:   "scale NAME ROLE=NUMBER... [--succeed-at ROLE=NUMBER] [--fail-at ROLE=NUMBER]",
		Short: "Change how many Tasks roles have, and the completion policy with it",
		Long: `Change how many Tasks roles have, and the completion policy with it.

All of it happens at once, or nothing if somebody else has changed these fields meanwhile. Tasks are removed from
the highest index down.`,
		Args:              takesName(0),
		ValidArgsFunction: c.completeNames(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args)+len(s.succeedAt)+len(s.failAt) < 2 {
				return fmt.Errorf("say how many Tasks a role is to have: kubectl framework scale %s worker=5", args[0])
			}
			return s.change(cmd, args[0], func(ctx context.Context, of *stored) (*change, error) { return s.scaleOf(ctx, of, args[1:]) })
		},
	}
	cmd.Flags().StringArrayVar(&s.succeedAt, "succeed-at", nil, "minSucceededTaskCount of a role, such as worker=5.")
	cmd.Flags().StringArrayVar(&s.failAt, "fail-at", nil, "minFailedTaskCount of a role, such as worker=1.")
	s.addFlags(cmd)
	return cmd
}

func (c *scaling) scaleOf(ctx context.Context, s *stored, numbers []string) (*change, error) {
	patch := newChange(s, "scaled")
	if hasCompleted(s) {
		return nil, fmt.Errorf("framework %s has ended for good, so its scale does not matter any more", s.Name)
	}
	removed := map[string]int32{}
	for _, arg := range numbers {
		role, n, err := s.roleNumber(arg, 0, maxTasks)
		if err != nil {
			return nil, err
		}
		if _, changed := patch.value(role, "taskNumber"); changed {
			return nil, fmt.Errorf("%q: role %s has a number already", arg, s.Spec.TaskRoles[role].Name)
		}
		if n < s.Spec.TaskRoles[role].TaskNumber {
			removed[s.Spec.TaskRoles[role].Name] = n
		}
		patch.setOf(role, "taskNumber", s.Spec.TaskRoles[role].TaskNumber, n)
	}
	for _, arg := range c.succeedAt {
		role, n, err := s.roleNumber(arg, -1, maxThreshold)
		if err != nil {
			return nil, fmt.Errorf("--succeed-at: %w", err)
		}
		patch.setOf(role, policyField+"minSucceededTaskCount", s.Spec.TaskRoles[role].FrameworkAttemptCompletionPolicy.MinSucceededTaskCount, n)
	}
	for _, arg := range c.failAt {
		role, n, err := s.roleNumber(arg, -1, maxThreshold)
		if err != nil {
			return nil, fmt.Errorf("--fail-at: %w", err)
		}
		patch.setOf(role, policyField+"minFailedTaskCount", s.Spec.TaskRoles[role].FrameworkAttemptCompletionPolicy.MinFailedTaskCount, n)
	}
	return patch, c.confirm(ctx, "Scaling Framework "+s.Name, patch.ends(removed))
}

// ends says what a change of the scale ends, if Tasks from these indices on are removed; empty if nothing ends.
func (c *change) ends(removed map[string]int32) string {
	if why := c.reachesThreshold(); why != "" {
		text := "its attempt, as " + why
		if running := c.of.thatRun(c.of.runningTasks(allTasks)); running != "" {
			text += ", and with it " + running
		}
		return text
	}
	return c.of.thatRun(c.of.runningTasks(func(role string, t *v1.TaskStatus) bool {
		n, ok := removed[role]
		return ok && t.Index >= n
	}))
}

// reachesThreshold says which threshold is changed to what as many Tasks of its role have come to already, as that ends the
// attempt; empty if none is.
func (c *change) reachesThreshold() string {
	for i, role := range c.of.Spec.TaskRoles {
		for _, threshold := range thresholds {
			n, changed := c.value(i, policyField+threshold.field)
			least, ok := n.(int32)
			if tasks := c.of.tasksThat(role.Name, threshold.counts); changed && ok && least >= 0 && tasks >= int(least) {
				return fmt.Sprintf("%s of role %s %s already", plural(tasks, "Task"), role.Name, threshold.have(tasks))
			}
		}
	}
	return ""
}

// threshold is how many Tasks of a role end the attempt.
type threshold struct {
	field  string
	counts explain.Standing
	verb   string
}

var thresholds = []threshold{
	{"minFailedTaskCount", explain.Failed, "failed"}, {"minSucceededTaskCount", explain.Succeeded, "succeeded"},
}

func (t threshold) have(tasks int) string {
	if tasks == 1 {
		return "has " + t.verb
	}
	return "have " + t.verb
}

// The bounds that the CRD has.
const (
	maxTasks     = 10_000
	maxThreshold = 1<<31 - 1
)

// roleNumber reads ROLE=NUMBER. The role is its position in the spec.
func (s *stored) roleNumber(arg string, least, most int64) (role int, n int32, err error) {
	name, number, ok := strings.Cut(arg, "=")
	if !ok {
		return 0, 0, fmt.Errorf("%q: write it as ROLE=NUMBER, such as worker=5", arg)
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil || value < least || value > most {
		return 0, 0, fmt.Errorf("%q: the number has to be from %d to %d", arg, least, most)
	}
	for i := range s.Spec.TaskRoles {
		if s.Spec.TaskRoles[i].Name == name {
			return i, int32(value), nil
		}
	}
	return 0, 0, fmt.Errorf("the spec of Framework %s has no role %q: its roles are %s", s.Name, name, s.specRoles())
}

func (s *stored) specRoles() string {
	var names []string
	for i := range s.Spec.TaskRoles {
		names = append(names, s.Spec.TaskRoles[i].Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// policyField is where the completion policy of a role has its thresholds.
const policyField = "frameworkAttemptCompletionPolicy/"

// value is what a field of a role is changed to.
func (c *change) value(role int, field string) (to any, changed bool) {
	path := fmt.Sprintf("/spec/taskRoles/%d/%s", role, field)
	for _, o := range c.operations {
		if o.Path == path && o.Op != "test" {
			return o.Value, true
		}
	}
	return nil, false
}

// setOf changes a number of a role, and tests that the role is where it was.
func (c *change) setOf(role int, field string, before, after int32) {
	if before == after {
		return
	}
	path := fmt.Sprintf("/spec/taskRoles/%d/", role)
	c.operations = append(c.operations, operation{"test", path + "name", c.of.Spec.TaskRoles[role].Name})
	c.set(path+field, before, after)
}
