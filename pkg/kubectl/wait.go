package kubectl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

type waiting struct {
	*caller
	what    string
	timeout time.Duration
}

func (c *caller) wait() *cobra.Command {
	w := &waiting{caller: c}
	cmd := &cobra.Command{
		Use:   "wait NAME [--for=running|completed|succeeded] [--timeout 1h]",
		Short: "Wait until a Framework runs or has ended",
		Long: `Wait until a Framework runs or has ended.

  running     some Task of the current attempt has run
  completed   it has ended for good, with success or not
  succeeded   it has ended for good, with success`,
		Args:              takesName(1),
		ValidArgsFunction: c.completeNames(false),
		RunE:              w.run,
	}
	cmd.Flags().StringVar(&w.what, "for", "succeeded", "What to wait for: running, completed or succeeded.")
	cmd.Flags().DurationVar(&w.timeout, "timeout", 0, "Maximum time to wait, such as 1h. By default there is no limit.")
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions(goalNames, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// goal is a state to wait for.
type goal struct {
	reached func(*stored) bool
	is, not string // printed when it is reached, and when it is not
}

var goals = map[string]goal{
	"running":   {isRunning, "runs", "does not run"},
	"completed": {hasCompleted, "has completed", "has not completed"},
	"succeeded": {hasSucceeded, "has succeeded", "has not succeeded"},
}

var goalNames = []string{"running", "completed", "succeeded"}

var errTimeIsOver = errors.New("timed out")

func (w *waiting) run(cmd *cobra.Command, args []string) error {
	goal, ok := goals[w.what]
	if !ok {
		return fmt.Errorf("--for=%s: use running, completed or succeeded", w.what)
	}
	k, err := w.cluster()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if w.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, w.timeout, errTimeIsOver)
		defer cancel()
	}
	line := newProgress(w.ErrOut)
	name, last := bare(args[0]), "it has not been read yet"
	err = k.follow(ctx, name, func(s *stored) (bool, error) {
		if s == nil {
			return false, fmt.Errorf("framework %s is gone", name)
		}
		last = s.oneLine()
		line.show(last)
		switch {
		case goal.reached(s):
			return true, nil
		case hasCompleted(s):
			return false, fmt.Errorf("framework %s %s, and will not: %s; kubectl framework explain %s -n %s shows why", name, goal.not, last, name, s.Namespace)
		}
		return false, nil
	})
	line.end()
	if errors.Is(err, errTimeIsOver) || err != nil && errors.Is(context.Cause(ctx), errTimeIsOver) {
		return coded{fmt.Errorf("framework %s %s: timed out after %s: %s", name, goal.not, w.timeout, last), exitTimeout}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.Out, "framework/%s %s\n", name, goal.is)
	return err
}

func isRunning(s *stored) bool {
	return s.Status != nil && (s.Status.State == v1.AttemptRunning || hasSucceeded(s))
}

func hasCompleted(s *stored) bool { return s.Status != nil && s.Status.State == v1.Completed }

func hasSucceeded(s *stored) bool { return hasCompleted(s) && !s.failed() }

// cutShort counts Tasks that have not failed by themselves, although the status counts them as failed.
func (s *stored) cutShort() (n int32) {
	for i := range s.Status.AttemptStatus.TaskRoleStatuses {
		tasks := s.Status.AttemptStatus.TaskRoleStatuses[i].TaskStatuses
		for j := range tasks {
			if explain.StandingOf(&tasks[j]) == explain.CutShort {
				n++
			}
		}
	}
	return n
}

// oneLine summarizes the state of a Framework in one line.
func (s *stored) oneLine() string {
	if s.Status == nil {
		return "no controller has processed it yet"
	}
	n, cutShort := s.Status.Tasks, s.cutShort()
	text := fmt.Sprintf("%s, attempt %d: of %s %d running, %d succeeded, %d failed", s.Status.State, s.Status.AttemptStatus.ID,
		plural(int(n.Total), "Task"), n.Running, n.Succeeded, max(n.Failed-cutShort, 0))
	if cutShort > 0 {
		text += fmt.Sprintf(", %d cut short", cutShort)
	}
	if reason := s.waitingFor(); reason != "" {
		text += ", waiting: " + reason
	}
	if end := s.Status.AttemptStatus.CompletionStatus; end != nil {
		text += fmt.Sprintf(", code %d %s", end.Code, end.Phrase)
	}
	return text
}
