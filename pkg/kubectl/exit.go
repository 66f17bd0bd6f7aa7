package kubectl

import (
	"fmt"
	"strings"
)

// Exit codes beside 0.
const (
	exitError     = 1
	exitBroken    = 2   // a stored status does not decode
	exitDiffers   = 3   // rules or a plugin give a failure another type
	exitLoses     = 4   // a field has no equivalent, and --strict is set
	exitTimeout   = 124 // as the command timeout does
	exitBrokenOff = 130 // as a shell does after Ctrl-C
)

// exit is a row of the table of exit codes: a code that the named command, or any if empty, exits with.
type exit struct {
	code    int
	command string
	means   string
}

// exits is the table of exit codes, by code and command.
var exits = []exit{
	{0, "", "The command succeeded."},
	{exitError, "", "An error. The message is on standard error, and begins with `error:`."},
	{exitError, "convert", "An object is invalid, or there is nothing to convert."},
	{exitError, "simulate", "The plugin has not answered for some failures."},
	{exitError, "wait", "The Framework can no longer reach the goal: it has failed, or is gone."},
	{exitBroken, "", "A stored status does not decode. The message names the reason."},
	{exitDiffers, "simulate", "A failure gets another type."},
	{exitLoses, "convert", "With --strict: a field has no equivalent in a Framework."},
	{exitTimeout, "delete", "The Framework is not gone after --timeout. Its deletion continues."},
	{exitTimeout, "wait", "The goal is not reached after --timeout."},
	{exitBrokenOff, "", "Ctrl-C ended the command."},
}

// withExits returns the help of a command, followed by its own exit codes.
func withExits(command, help string) string {
	var rows strings.Builder
	for _, row := range exits {
		if row.command == command {
			fmt.Fprintf(&rows, "\n  %-3d   %s", row.code, row.means)
		}
	}
	if rows.Len() == 0 {
		return help
	}
	return help + "\n\nExit codes:\n" + rows.String()
}
