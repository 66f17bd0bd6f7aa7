package kubectl

import (
	"fmt"

	"github.com/spf13/cobra"
)

// dryRun is the flag --dry-run of a command.
type dryRun string

const (
	noDryRun     dryRun = "none"
	clientDryRun dryRun = "client" // nothing is sent
	serverDryRun dryRun = "server" // the API server checks the request, and stores nothing
)

func (d *dryRun) addFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar((*string)(d), "dry-run", string(noDryRun), usage)
	choices := []string{string(noDryRun), string(clientDryRun), string(serverDryRun)}
	_ = cmd.RegisterFlagCompletionFunc("dry-run", cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

func (d dryRun) check() error {
	switch d {
	case noDryRun, clientDryRun, serverDryRun:
		return nil
	}
	return fmt.Errorf("--dry-run=%s: use none, client or server", d)
}

// note follows the report of a change, such as " (client dry run)"; empty without a dry run.
func (d dryRun) note() string {
	if d == noDryRun {
		return ""
	}
	return " (" + string(d) + " dry run)"
}
