package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/picture"
)

// There are colours on a terminal only, and not if NO_COLOR is set.
func TestColours(t *testing.T) {
	terminal, _, err := picture.Terminal(80, 24)
	require.NoError(t, err)
	defer terminal.Close()
	file, err := os.Create(t.TempDir() + "/file")
	require.NoError(t, err)
	defer file.Close()
	for name, c := range map[string]struct {
		out      *os.File
		no, term string
		want     bool
	}{
		"terminal": {terminal, "", "xterm", true},
		"NO_COLOR": {terminal, "1", "xterm", false},
		"dumb":     {terminal, "", "dumb", false},
		"file":     {file, "", "xterm", false},
	} {
		t.Setenv("NO_COLOR", c.no)
		t.Setenv("TERM", c.term)
		if got := strings.Contains(newPaper(c.out).in(red, "text"), "\x1b["); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A line has its time, and the last one of an update is followed by the counts.
func TestHappened(t *testing.T) {
	var out strings.Builder
	p := &paper{out: &out}
	p.begin()
	p.happened([]line{{text: "runs", who: []taskName{{"a", 0}, {"a", 1}}}, {text: "the Framework waits", why: "For a node."}}, "2 Tasks: 2 Running")
	p.happened(nil, "2 Tasks: 2 Running")
	want := "  0.0 s  a-0, a-1 run\n         the Framework waits\n           For a node.\n         2 Tasks: 2 Running\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}
