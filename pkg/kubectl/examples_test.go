package kubectl

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// ownCommand matches a command of this plugin in a line of an example, up to a shell operator.
var ownCommand = regexp.MustCompile(`kubectl framework ([^|>&)\n]*)`)

// The help of each command has valid examples: their flags and arguments are known.
func TestExamples(t *testing.T) {
	for _, cmd := range New(genericiooptions.IOStreams{}).Commands() {
		shown := 0
		for _, match := range ownCommand.FindAllStringSubmatch(cmd.Example, -1) {
			root := New(genericiooptions.IOStreams{}) // a second parse would keep the flags of the first
			found, args, err := root.Find(strings.Fields(match[1]))
			if err == nil && found.Name() == cmd.Name() {
				shown++
			}
			if err == nil {
				err = found.ParseFlags(args)
			}
			if err == nil {
				err = found.ValidateArgs(found.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %q: %v", cmd.Name(), match[0], err)
			}
		}
		if shown == 0 {
			t.Errorf("%s has no example", cmd.Name())
		}
	}
	streams, _, out, _ := genericiooptions.NewTestIOStreams()
	root := New(streams)
	root.SetArgs([]string{"list", "--help"})
	require.NoError(t, root.Execute())
	if !strings.Contains(out.String(), whereGlobalFlags) || strings.Contains(out.String(), "--insecure-skip-tls-verify") {
		t.Errorf("the help does not leave the flags of all commands to one place:\n%s", out)
	}
	root.SetArgs([]string{"list", "--nosuch"})
	require.EqualError(t, root.Execute(), "unknown flag: --nosuch; kubectl framework list --help shows the flags")
	if n := len(New(genericiooptions.IOStreams{}).Commands()); n != len(examples) {
		t.Errorf("%d commands, and examples of %d", n, len(examples))
	}
}
