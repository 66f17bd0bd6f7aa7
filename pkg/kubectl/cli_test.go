package kubectl

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

const cliPage = "../../docs/reference/cli.md"

// The reference of the command line is made from the commands, with -rewrite. It is not made by make generate: so the test of the
// package fails after a change of a flag.
func TestCLIReference(t *testing.T) {
	// Kubectl's defaults come from the environment.
	t.Setenv("HOME", "/home/you")
	t.Setenv("KUBECACHEDIR", "")
	t.Setenv("KUBECONFIG", "")
	commands := cliReference(New(genericiooptions.IOStreams{}))
	require.NotRegexp(t, `/(home|root|tmp|Users)/`, commands, "the page would have a path of this machine")
	page.Keep(t, cliPage, page.Generated(t, page.Read(t, cliPage), "commands", commands), *rewrite)
}

// Each code that a command ends with is in the table, and each command of the table exists.
func TestExitsAreListed(t *testing.T) {
	listed := map[int]bool{}
	commands := map[string]bool{"": true}
	for _, cmd := range New(genericiooptions.IOStreams{}).Commands() {
		commands[cmd.Name()] = true
	}
	for _, row := range exits {
		listed[row.code] = true
		if !commands[row.command] {
			t.Errorf("there is no command %s", row.command)
		}
	}
	for _, code := range []int{0, exitError, exitBroken, exitDiffers, exitLoses, exitTimeout, exitBrokenOff} {
		if !listed[code] {
			t.Errorf("exit code %d is not in the table", code)
		}
	}
}

func cliReference(root *cobra.Command) string {
	var b strings.Builder
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "**%s**\n\n| Command | Purpose |\n|:---- |:---- |\n", strings.TrimSuffix(group.Title, ":"))
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && cmd.Name() != "help" {
				fmt.Fprintf(&b, "| [`%s`](#%[1]s) | %s |\n", cmd.Name(), cell(cmd.Short))
			}
		}
		b.WriteString("\n")
	}
	for _, group := range root.Groups() {
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && cmd.Name() != "help" {
				command(&b, cmd)
			}
		}
	}
	b.WriteString("## Flags of all commands\n\nThese flags choose the cluster, the namespace and the user, as with kubectl.\n\n")
	flagTable(&b, root.PersistentFlags())
	b.WriteString("## Exit codes\n\n| Code | Command | Meaning |\n|:---- |:---- |:---- |\n")
	for _, row := range exits {
		name := "all"
		if row.command != "" {
			name = "`" + row.command + "`"
		}
		fmt.Fprintf(&b, "| %d | %s | %s |\n", row.code, name, cell(row.means))
	}
	return b.String()
}

func command(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "## %s\n\n%s.\n\n```text\n%s\n```\n\n", cmd.Name(), marked(cmd.Short), cmd.UseLine())
	for _, paragraph := range strings.Split(cmd.Long, "\n\n") {
		switch {
		case paragraph == "" || paragraph == cmd.Short+".":
		case strings.HasPrefix(paragraph, "  "):
			fmt.Fprintf(b, "```text\n%s\n```\n\n", unindented(paragraph))
		default:
			fmt.Fprintf(b, "%s\n\n", marked(paragraph))
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "Examples:\n\n```sh\n%s\n```\n\n", unindented(cmd.Example))
	}
	cmd.InitDefaultHelpFlag()
	if own := cmd.NonInheritedFlags(); own.HasAvailableFlags() {
		flagTable(b, own)
	}
	if !strings.HasSuffix(b.String(), "\n\n") {
		b.WriteString("\n")
	}
}

// flagTable leaves out --help, which each command has.
func flagTable(b *strings.Builder, flags *pflag.FlagSet) {
	var rows strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + cmp.Or(map[string]string{"stringArray": "string", "strings": "string,..."}[value], value)
		}
		name = "`" + name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		set := ""
		zero := f.DefValue == "" || f.DefValue == "[]" || f.DefValue == "0s" && f.Value.Type() == "duration" || f.DefValue == "false" ||
			f.DefValue == "0" && value == "N" // a number of which each counts, also 0
		if !zero {
			set = "`" + strings.ReplaceAll(f.DefValue, "/home/you", "$HOME") + "`"
		}
		fmt.Fprintf(&rows, "| %s | %s | %s |\n", name, set, cell(usage))
	})
	if rows.Len() > 0 {
		fmt.Fprintf(b, "| Flag | Default | Meaning |\n|:---- |:---- |:---- |\n%s\n", rows.String())
	}
}

var flagInText = regexp.MustCompile(`(^|[\s(])(--[a-z][-a-z]*(?:=[a-z]+)?|-o (?:json|yaml|wide|name)|-[a-zA-Z])\b`)

// marked has flags in code style, where a page would make a dash of two hyphens.
func marked(text string) string { return flagInText.ReplaceAllString(text, "$1`$2`") }

func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(marked(text), "\n", " "), "|", `\|`)
}

func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}
