package kubectl

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func (c *caller) start() *cobra.Command {
	s := &changing{caller: c}
	cmd := &cobra.Command{
		Use:               "start NAME",
		Short:             "Start a Framework that is held or suspended",
		Args:              takesName(1),
		ValidArgsFunction: c.completeNames(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.change(cmd, args[0], s.startOf)
		},
	}
	s.addFlags(cmd)
	return cmd
}

func (c *caller) stop() *cobra.Command {
	s := &changing{caller: c}
	cmd := &cobra.Command{
		Use:   "stop NAME",
		Short: "End a Framework for good, and keep the object",
		Long: `End a Framework for good, and keep the object.

It completes with code -210 as soon as its Pods are gone, and does not start again.`,
		Args:              takesName(1),
		ValidArgsFunction: c.completeNames(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.change(cmd, args[0], s.stopOf)
		},
	}
	s.addFlags(cmd)
	return cmd
}

// change reads a Framework, and sends the patch that make returns. A nil patch means that there is nothing to do.
func (c *changing) change(cmd *cobra.Command, name string, make func(context.Context, *stored) (*change, error)) error {
	if err := c.dryRun.check(); err != nil {
		return err
	}
	k, err := c.cluster()
	if err != nil {
		return err
	}
	s, err := k.get(cmd.Context(), name)
	if err != nil {
		return err
	}
	patch, err := make(cmd.Context(), s)
	if err != nil {
		return err
	}
	if patch.empty() {
		_, err := fmt.Fprintf(c.Out, "framework/%s unchanged\n", s.Name)
		return err
	}
	return c.send(cmd.Context(), k, patch)
}

func (c *changing) startOf(_ context.Context, s *stored) (*change, error) {
	patch := newChange(s, "started")
	switch s.Spec.ExecutionType {
	case v1.ExecutionStop:
		return nil, fmt.Errorf("framework %s was stopped, and does not start again: create a new one", s.Name)
	case v1.ExecutionCreate:
		patch.set("/spec/executionType", v1.ExecutionCreate, v1.ExecutionStart)
	}
	if s.Spec.Suspend != nil && *s.Spec.Suspend {
		patch.set("/spec/suspend", true, false)
	}
	return patch, nil
}

func (c *changing) stopOf(ctx context.Context, s *stored) (*change, error) {
	patch := newChange(s, "stopped")
	if s.Spec.ExecutionType == v1.ExecutionStop || hasCompleted(s) {
		return patch, nil
	}
	var before any
	if s.Spec.ExecutionType != "" {
		before = s.Spec.ExecutionType
	}
	patch.set("/spec/executionType", before, v1.ExecutionStop)
	return patch, c.confirm(ctx, "Stopping Framework "+s.Name, s.thatRun(s.runningTasks(allTasks)))
}
