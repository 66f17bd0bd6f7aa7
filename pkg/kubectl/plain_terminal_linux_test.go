package kubectl

import (
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/frameworkcontroller/frameworkcontroller/test/picture"
)

// Documents, logs and the screen are sent to a terminal without control characters, too, except colors and the codes of the screen.
func TestTerminalIsNotSteered(t *testing.T) {
	api, past := httptest.NewServer(&hostileCluster{}), httptest.NewServer(&hostileHistory{pastServer: pastServer{t}})
	defer api.Close()
	defer past.Close()
	t.Setenv(historyURL, past.URL)
	withoutCluster(t)
	commands := []string{}
	for _, command := range []string{"watch ending", "create train --image i -o json", "explain train -o json", "list"} {
		commands = append(commands, command+" --server "+api.URL)
	}
	paths, err := filepath.Glob("testdata/history/*.txt")
	require.NoError(t, err)
	for _, path := range paths {
		for line := range strings.Lines(read(t, path)) {
			if command, isCommand := strings.CutPrefix(line, "$ kubectl framework "); isCommand {
				commands = append(commands, strings.TrimSpace(command))
			}
		}
	}
	require.Greater(t, len(commands), 100)
	for _, command := range commands {
		t.Run(command, func(t *testing.T) {
			text := onTerminal(t, strings.Fields(command))
			require.NotEmpty(t, text)
			requirePlain(t, shown(text), "\n\t")
		})
	}
}

// onTerminal returns the output of a command on a terminal.
func onTerminal(t *testing.T, args []string) string {
	t.Helper()
	const end = "the command has ended"
	terminal, screen, err := picture.Terminal(100, 30)
	require.NoError(t, err)
	defer terminal.Close()
	Run(t.Context(), genericiooptions.IOStreams{In: strings.NewReader("n\n"), Out: terminal, ErrOut: terminal}, args)
	_, err = terminal.WriteString(end)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.HasSuffix(screen.String(), end) }, time.Minute, 5*time.Millisecond)
	return strings.TrimSuffix(screen.String(), end)
}

// lineEnds matches the end of a line, before which a terminal adds another carriage return.
var lineEnds = regexp.MustCompile(`\r{1,2}\n`)

// shown is the output of a command on a terminal, without the codes that commands may send there.
func shown(text string) string {
	text = graphics.ReplaceAllString(lineEnds.ReplaceAllString(text, "\n"), "")
	for _, code := range []string{alternateScreen, normalScreen, home, clearRest, "\x1b[K"} {
		text = strings.ReplaceAll(text, code, "")
	}
	return text
}
