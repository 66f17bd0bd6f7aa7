package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
	"github.com/frameworkcontroller/frameworkcontroller/test/picture"
)

var rewrite = flag.Bool("rewrite", false, "draw the pictures in docs anew")

const columns = 120

// make demo prints what its Framework asks for, what happens to which Task and why, in counts that add up, and how it ended; meanwhile
// kubectl framework watch shows it. docs/ has pictures of both, with the output of the programs, in that form.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a cluster")
	}
	t.Chdir("../..")
	needBinaries(t)
	demo, shown := onTerminal(t, exec.Command("bin/demo", "demo"), columns, 50)
	await(t, shown, "What happens")
	watch, screen := onTerminal(t, watchIn(t, demo.Process.Pid), columns, 24)
	require.NoError(t, demo.Wait(), shown.String())
	require.NoError(t, watch.Wait(), screen.String())
	story := picture.Plain(shown.String())
	for _, want := range []string{
		"Framework demo has 5 Tasks in 3 roles.",
		"It succeeds when 2 workers have succeeded",
		"loader-0 has failed, code 200 ContainerTransientFailed",
		"A container exited with 200, which marks the failure as transient",
		"loader-0 is tried again, as attempt 1: a retry that does not count against maxRetryCount",
		"ends the attempt, as a success",
		"SucceededTaskCount 2 has reached MinSucceededTaskCount 2",
		"In the end: 5 Tasks: 3 Succeeded, 2 CutShort; 1 retry of a Task.",
		"Framework demo has succeeded: it ended at",
		"What to try next",
		"demo: Deleted, Succeeded",
		"loader   200 ContainerTransientFailed",
		"cleaning up",
	} {
		if !strings.Contains(story, want) {
			t.Errorf("%q is not in\n%s", want, story)
		}
	}
	// These two are reported in one line, or one by one if one ended a moment earlier.
	for _, who := range []string{"server-0", "server-1"} {
		require.Contains(t, statements(story), who+" is cut short by the end of the attempt, code -220, which is no failure")
	}
	requireCountsAddUp(t, story)
	if !strings.Contains(shown.String(), "\x1b[33m") {
		t.Error("it has no colours on a terminal")
	}
	requirePicture(t, "docs/images/demo.svg", "make demo", "$ make demo\n"+shown.String())
	_, last, _ := strings.Cut(screen.String(), "\x1b[?1049l")
	requirePicture(t, "docs/images/watch.svg", "kubectl framework watch", "$ kubectl framework watch demo\n"+last)
}

// needBinaries builds the programs that make demo builds.
func needBinaries(t *testing.T) {
	t.Helper()
	targets := []string{"bin/demo"}
	if os.Getenv("FC_BIN") == "" { // or make has built it
		targets = append(targets, "build")
	}
	output, err := exec.Command("make", targets...).CombinedOutput()
	require.NoError(t, err, string(output))
}

// onTerminal starts a command on a terminal of its own.
func onTerminal(t *testing.T, cmd *exec.Cmd, columns, rows uint16) (*exec.Cmd, *picture.Screen) {
	t.Helper()
	terminal, shown, err := picture.Terminal(columns, rows)
	require.NoError(t, err)
	defer terminal.Close()
	cmd.Stdout, cmd.Stderr = terminal, terminal
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "NO_COLOR=", "TERM=xterm")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Signal(syscall.SIGTERM) // it cleans up after itself
			cmd.Wait()
		}
	})
	return cmd, shown
}

func await(t *testing.T, shown *picture.Screen, text string) {
	t.Helper()
	deadline := time.Now().Add(machine.Within(5 * time.Minute))
	for !strings.Contains(shown.String(), text) {
		if time.Now().After(deadline) {
			t.Fatalf("no %q in\n%s", text, shown)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// watchIn watches the Framework in the cluster that a process has started.
func watchIn(t *testing.T, pid int) *exec.Cmd {
	t.Helper()
	found, err := filepath.Glob(fmt.Sprintf("bin/clusters/test-%d-*/kubeconfig", pid))
	require.NoError(t, err)
	require.Len(t, found, 1)
	cmd := exec.CommandContext(context.Background(), "bin/kubectl-framework", "watch", "demo")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+found[0], "NO_COLOR=", "TERM=xterm", "LC_ALL=C.UTF-8")
	return cmd
}

var countLine = regexp.MustCompile(`(?m)(\d+) Tasks: (\d+ [A-Z][A-Za-z]+(?:, \d+ [A-Z][A-Za-z]+)*)`)

func requireCountsAddUp(t *testing.T, story string) {
	t.Helper()
	lines := countLine.FindAllStringSubmatch(story, -1)
	if len(lines) < 5 {
		t.Errorf("the Tasks are counted %d times in\n%s", len(lines), story)
	}
	for _, line := range lines {
		sum := 0
		for _, part := range strings.Split(line[2], ", ") {
			n, err := strconv.Atoi(strings.Fields(part)[0])
			require.NoError(t, err)
			sum += n
		}
		if line[1] != strconv.Itoa(sum) {
			t.Errorf("%s is not the sum of %s", line[1], line[2])
		}
	}
}

// requirePicture checks that a picture shows the same but for times and nodes, or redraws it.
func requirePicture(t *testing.T, path, title, shown string) {
	t.Helper()
	if *rewrite {
		require.NoError(t, os.WriteFile(path, []byte(picture.Render(title, shown, columns)), 0o644))
	}
	svg, err := os.ReadFile(path)
	require.NoError(t, err)
	text, err := picture.Text(string(svg))
	require.NoError(t, err)
	if got, want := statements(text), statements(picture.Plain(shown)); !slices.Equal(got, want) {
		t.Errorf("%s says\n%s\nand %s prints\n%s\ngo test ./test/demo -run TestDemo -rewrite draws it anew", path,
			strings.Join(got, "\n"), title, strings.Join(want, "\n"))
	}
}

// passingParts are the parts of the output that differ each time: times, nodes, and the grouping of simultaneous events.
var passingParts = []struct {
	part *regexp.Regexp
	form string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`\b\d+(\.\d+)?( ?m?s)?\b( ago)`), "AGE$3"},
	{regexp.MustCompile(`\b\d+(\.\d+)? s\b`), "AGE"},
	{regexp.MustCompile(`(after|ran|took) \d+s`), "$1 AGE"},
	{regexp.MustCompile(`UID [0-9a-f-]{36}`), "UID"},
	{regexp.MustCompile(`(worker|server)-[01] +TIME`), "$1-N TIME"},
	{regexp.MustCompile(`\bnode-\d+`), "node-N"},
	{regexp.MustCompile(`worker-[01] ends the attempt`), "worker-N ends the attempt"},
	{regexp.MustCompile(`Task worker-[01]`), "Task worker-N"},
	{regexp.MustCompile(`explain demo worker-[01]`), "explain demo worker-N"},
	{regexp.MustCompile(` +`), " "},
}

var whoDoes = regexp.MustCompile(`^((?:[a-z]+-\d+, )*[a-z]+-\d+) (.*)$`)

// statements are the lines of a text, each once and in no order: Tasks to which the same happens may do so at once or one by one, and are
// counted in between.
func statements(text string) []string {
	all := map[string]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if countLine.MatchString(line) && !strings.HasPrefix(line, "In the end") {
			continue
		}
		for _, p := range passingParts {
			line = p.part.ReplaceAllString(line, p.form)
		}
		line = strings.TrimSpace(strings.TrimPrefix(line, "AGE "))
		if strings.HasPrefix(line, "ago Completed: ") || line == "" {
			continue // the last event may arrive after the last look
		}
		if m := whoDoes.FindStringSubmatch(line); m != nil {
			for _, who := range strings.Split(m[1], ", ") {
				all[who+" "+oneDoes(m[2])] = true
			}
			continue
		}
		all[line] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// oneDoes puts the verb that a text begins with into the form for one Task.
func oneDoes(text string) string {
	verb, rest, _ := strings.Cut(text, " ")
	for one, many := range manyDo {
		if verb == many {
			return strings.TrimSpace(one + " " + rest)
		}
	}
	return text
}
