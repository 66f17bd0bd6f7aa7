package kubectl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type deleting struct {
	changing
	now     bool
	wait    bool
	timeout time.Duration
}

func (c *caller) delete() *cobra.Command {
	d := &deleting{changing: changing{caller: c}}
	cmd := &cobra.Command{
		Use:   "delete NAME [--now]",
		Short: "Delete a Framework, and wait until its Pods are gone",
		Long: `Delete a Framework, and wait until its Pods are gone.

The deletion is in the foreground: the Framework goes after its last Pod. With --now, its Pods get a second to end,
whatever their grace period.`,
		Args:              takesName(1),
		ValidArgsFunction: c.completeNames(false),
		RunE:              d.run,
	}
	f := cmd.Flags()
	f.BoolVar(&d.now, "now", false, "Give its Pods a second to end.")
	f.BoolVar(&d.wait, "wait", true, "Wait until it is gone.")
	f.DurationVar(&d.timeout, "timeout", 0, "Maximum time to wait, such as 10m. By default there is no limit.")
	d.addFlags(cmd)
	return cmd
}

func (d *deleting) run(cmd *cobra.Command, args []string) error {
	if err := d.dryRun.check(); err != nil {
		return err
	}
	k, err := d.cluster()
	if err != nil {
		return err
	}
	s, err := k.getAny(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if err := d.confirm(cmd.Context(), "Deleting Framework "+s.Name, s.thatRun(s.runningTasks(allTasks))); err != nil {
		return err
	}
	report := fmt.Sprintf("framework/%s deleted%s\n", s.Name, d.dryRun.note())
	if d.dryRun == clientDryRun {
		_, err := fmt.Fprint(d.Out, report)
		return err
	}
	if err := d.request(cmd.Context(), k, s); err != nil {
		return k.inPlainWords(err)
	}
	if d.dryRun == serverDryRun {
		_, err := fmt.Fprint(d.Out, report)
		return err
	}
	if d.now {
		if err := k.hurryPods(cmd.Context(), s); err != nil {
			return err
		}
	}
	if d.wait {
		if err := d.await(cmd.Context(), k, s); err != nil {
			return err
		}
	}
	_, err = fmt.Fprint(d.Out, report)
	return err
}

// request asks for the deletion of this very object.
func (d *deleting) request(ctx context.Context, k *cluster, s *stored) error {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	foreground := metav1.DeletePropagationForeground
	o := metav1.DeleteOptions{PropagationPolicy: &foreground, Preconditions: &metav1.Preconditions{UID: &s.UID}}
	if d.dryRun == serverDryRun {
		o.DryRun = []string{metav1.DryRunAll}
	}
	return k.objects.Namespace(k.namespace).Delete(ctx, s.Name, o)
}

// await waits until the object is gone, and shows how many Tasks are left.
func (d *deleting) await(ctx context.Context, k *cluster, s *stored) error {
	if d.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d.timeout, errTimeIsOver)
		defer cancel()
	}
	line := newProgress(d.ErrOut)
	defer line.end()
	err := k.follow(ctx, s.Name, func(now *stored) (bool, error) {
		if now == nil || now.UID != s.UID {
			return true, nil
		}
		line.show("deleting " + s.Name + ": " + now.oneLine())
		return false, nil
	})
	switch {
	case apierrors.IsNotFound(err):
		return nil // it was gone before the first look
	case err != nil && errors.Is(context.Cause(ctx), errTimeIsOver):
		return coded{fmt.Errorf("framework %s is not gone after %s; its deletion continues: kubectl framework explain %s -n %s shows what is left", s.Name, d.timeout, s.Name, s.Namespace), exitTimeout}
	}
	return err
}
