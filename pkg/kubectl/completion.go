package kubectl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

// forKubectl is the script that kubectl runs to complete `kubectl framework ...`, if it is on the PATH under that name.
const forKubectl = `#!/bin/sh
# Put this file on the PATH as kubectl_complete-framework, and make it executable.
exec kubectl framework __complete "$@"
`

func (c *caller) completion() *cobra.Command {
	shells := []string{"kubectl", "bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion [kubectl|bash|zsh|fish|powershell]",
		Short: "Print the script that completes command lines",
		Long: `Print the script that completes command lines.

By default it prints the script with which kubectl completes "kubectl framework ...". kubectl looks for it on the PATH.

For a shell, it prints the script that completes the command "kubectl-framework" itself.`,
		ValidArgs: shells,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			shell := append(args, "kubectl")[0]
			root := cmd.Root()
			root.Use = "kubectl-framework"
			switch shell {
			case "bash":
				return root.GenBashCompletionV2(c.Out, true)
			case "zsh":
				return root.GenZshCompletion(c.Out)
			case "fish":
				return root.GenFishCompletion(c.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(c.Out)
			}
			_, err := fmt.Fprint(c.Out, forKubectl)
			return err
		},
	}
}

// completeWithin limits how long a person waits after pressing the key.
const completeWithin = 3 * time.Second

// completeNames completes the name of a Framework, then, if tasks is set, roles and Tasks.
func (c *caller) completeNames(tasks bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(context.Background(), completeWithin)
		defer cancel()
		k, err := c.cluster()
		if err != nil || len(args) > 0 && !tasks {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var words []string
		if len(args) == 0 {
			words = k.names(ctx)
		} else {
			words = k.rolesAndTasks(ctx, args[0])
		}
		return slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, begun) }), cobra.ShellCompDirectiveNoFileComp
	}
}

func (k *cluster) names(ctx context.Context) (names []string) {
	all, _ := k.listAll(ctx, k.namespace, "")
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// mostCompleted limits how many Tasks of a role are offered.
const mostCompleted = 20

func (k *cluster) rolesAndTasks(ctx context.Context, name string) (words []string) {
	s, err := k.get(ctx, name)
	if err != nil || s.Status == nil {
		return nil
	}
	for _, role := range s.Status.AttemptStatus.TaskRoleStatuses {
		words = append(words, role.Name)
		for i := range min(len(role.TaskStatuses), mostCompleted) {
			words = append(words, explain.TaskName(role.Name, int32(i)))
		}
	}
	return slices.Compact(words)
}
