package page

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const generatedEnd = "<!-- end -->"

// Read returns the text of a page.
func Read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// Generated returns a page with text, which ends with a line break, between "<!-- NAME: generated -->" and "<!-- end -->".
func Generated(t testing.TB, page, name, text string) string {
	t.Helper()
	begin := "<!-- " + name + ": generated -->\n"
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, generatedEnd)
	if !found || !closed {
		t.Fatalf("the page has no %q with %q behind it", strings.TrimSpace(begin), generatedEnd)
	}
	return before + begin + "\n" + text + "\n" + generatedEnd + after
}

// Keep fails if a file has another text than wanted; with rewrite, it writes the file.
func Keep(t testing.TB, path, want string, rewrite bool) {
	t.Helper()
	got := Read(t, path)
	switch {
	case got == want:
	case rewrite:
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	default:
		t.Errorf("%s is out of date: go test -run '^%s$' -rewrite\n%s", path, t.Name(), difference(got, want))
	}
}

// difference shows the first line that differs.
func difference(got, want string) string {
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < min(len(gotLines), len(wantLines))-1 && gotLines[i] == wantLines[i] {
		i++
	}
	return "has  " + gotLines[i] + "\nwant " + wantLines[i]
}
