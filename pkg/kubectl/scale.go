package kubectl

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

type scaling struct {
	changing
	succeedAt, failAt []string
}

func (c *caller) scale() *cobra.Command {
	s := &scaling{changing: changing{caller: c}}
	cmd := &cobra.Command{
		Use:   "scale NAME ROLE=NUMBER... [--succeed-at ROLE=NUMBER] [--fail-at ROLE=NUMBER]",
		Short: "Change the numbers of Tasks of roles, and their completion policies",
		Long: `Change the numbers of Tasks of roles, and their completion policies.

All changes are made at once, or none if somebody else has changed these fields in the meantime. Tasks are removed from
the highest index down. A role with items cannot be scaled to 1, which stands for all of its items.`,
		Args:              takesName(0),
		ValidArgsFunction: c.completeNames(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args)+len(s.succeedAt)+len(s.failAt) < 2 {
				return fmt.Errorf("give the new number of Tasks of a role: kubectl framework scale %s worker=5", args[0])
			}
			return s.change(cmd, args[0], func(ctx context.Context, of *stored) (*change, error) { return s.scaleOf(ctx, of, args[1:]) })
		},
	}
	cmd.Flags().StringArrayVar(&s.succeedAt, "succeed-at", nil, "New minSucceededTaskCount of a role, such as worker=5.")
	cmd.Flags().StringArrayVar(&s.failAt, "fail-at", nil, "New minFailedTaskCount of a role, such as worker=1.")
	s.addFlags(cmd)
	return cmd
}

func (c *scaling) scaleOf(ctx context.Context, s *stored, numbers []string) (*change, error) {
	patch := newChange(s, "scaled")
	if hasCompleted(s) {
		return nil, fmt.Errorf("framework %s has ended for good, so it cannot be scaled", s.Name)
	}
	for _, arg := range numbers {
		role, n, err := s.roleNumber(strconv.Quote(arg), arg, 0, maxTasks)
		if err != nil {
			return nil, err
		}
		if _, changed := patch.value(role, "taskNumber"); changed {
			return nil, fmt.Errorf("%q: role %s is given twice", arg, s.Spec.TaskRoles[role].Name)
		}
		if spec := &s.Spec.TaskRoles[role]; spec.Items != nil && n == v1.AllItems {
			return nil, fmt.Errorf("%q: role %s has items, and taskNumber %d stands for as many Tasks as items; for one Task, leave one item in its items",
				arg, spec.Name, v1.AllItems)
		}
		patch.setOf(role, "taskNumber", s.Spec.TaskRoles[role].TaskNumber, n)
	}
	for _, arg := range c.succeedAt {
		role, n, err := s.roleNumber("--succeed-at "+arg, arg, -1, maxThreshold)
		if err != nil {
			return nil, err
		}
		patch.setOf(role, policyField+minSucceeded, s.Spec.TaskRoles[role].FrameworkAttemptCompletionPolicy.MinSucceededTaskCount, n)
	}
	for _, arg := range c.failAt {
		role, n, err := s.roleNumber("--fail-at "+arg, arg, -1, maxThreshold)
		if err != nil {
			return nil, err
		}
		patch.setOf(role, policyField+minFailed, s.Spec.TaskRoles[role].FrameworkAttemptCompletionPolicy.MinFailedTaskCount, n)
	}
	return patch, c.confirm(ctx, "Scaling Framework "+s.Name, patch.ends())
}

// roleNumber parses ROLE=NUMBER for a role of the spec, and returns the position of the role. what names the argument in messages.
func (s *stored) roleNumber(what, arg string, least, most int64) (role int, n int32, err error) {
	name, n, err := roleNumber(arg, least, most)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", what, err)
	}
	if role = roleIndex(s.Spec.TaskRoles, name); role < 0 {
		return 0, 0, fmt.Errorf("%s: the spec of Framework %s has no role %q: %s", what, s.Name, name, theRoles(roleNames(s.Spec.TaskRoles)))
	}
	return role, n, nil
}

// policyField is the path of a role's completion thresholds.
const (
	policyField  = "frameworkAttemptCompletionPolicy/"
	minFailed    = "minFailedTaskCount"
	minSucceeded = "minSucceededTaskCount"
)

// value returns the new value of a role's field.
func (c *change) value(role int, field string) (to any, changed bool) {
	path := fmt.Sprintf("/spec/taskRoles/%d/%s", role, field)
	for _, o := range c.operations {
		if o.Path == path && o.Op != "test" {
			return o.Value, true
		}
	}
	return nil, false
}

// setOf changes a number of a role, and tests that the role is still at the same position.
func (c *change) setOf(role int, field string, before, after int32) {
	if before == after {
		return
	}
	path := fmt.Sprintf("/spec/taskRoles/%d/", role)
	c.operations = append(c.operations, operation{"test", path + "name", c.of.Spec.TaskRoles[role].Name})
	c.set(path+field, before, after)
}
