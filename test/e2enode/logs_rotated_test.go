package e2enode

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/proxy"
)

// A followed log continues when the kubelet rotates its file, without repeating a line. If it breaks off and its file is rotated before it
// can be read again, only lines are missing that the kubelet no longer serves, and a warning names the times between which they are
// missing.
func TestLogsRotated(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	road, err := proxy.Listen(kube.Config.Host)
	require.NoError(t, err)
	t.Cleanup(road.Close)
	s.apply("chatty")
	s.awaitRunning("chatty", 1)
	followed, warnings := &output{}, &output{}
	follow := s.plugin()("logs", "chatty", "-f", "--server="+road.URL())
	follow.Stdout, follow.Stderr = followed, warnings
	require.NoError(t, follow.Start())
	t.Cleanup(func() {
		if t.Failed() {
			text := followed.String()
			t.Logf("what was followed ended with:\n%s\n%s", text[max(0, len(text)-1000):], warnings)
		}
	})
	s.untilSaid(followed, "[worker-0] waiting\n")
	s.kubectl("exec", "chatty-worker-0", "--", "touch", "/tmp/begin")
	firsts := map[int]time.Time{} // the first lines of all files but the first one
	look := func() {
		for _, file := range real.LogFiles(s.namespace, "chatty-worker-0", "app") {
			if n, at := firstLine(file); n > 0 {
				firsts[n] = at
			}
		}
	}
	rotated := func(times int) {
		t.Helper()
		want := len(firsts) + times
		s.until(fmt.Sprintf("there were %d files", want), func(context.Context) bool { look(); return len(firsts) >= want })
	}
	rotated(2)
	require.Empty(t, warnings.String())

	road.Refuse()
	rotated(1)
	newest := slices.Max(slices.Collect(maps.Keys(firsts)))
	require.NoError(t, road.Accept())
	s.until("it goes on", func(context.Context) bool { return slices.Max(numbers(followed)) > newest })
	s.kubectl("exec", "chatty-worker-0", "--", "touch", "/tmp/end")
	s.awaitCompleted("chatty")
	if err := follow.Wait(); err != nil {
		t.Error(err)
	}
	look()

	said := regexp.MustCompile("^warning: the log of Pod chatty-worker-0 was interrupted, .* between \\S+ and (\\S+) may be missing\n$").FindStringSubmatch(warnings.String())
	require.NotNil(t, said, warnings.String())
	last, reported := 0, 0
	for _, n := range numbers(followed) {
		begins, isFirst := firsts[n]
		switch {
		case n <= last:
			t.Fatalf("line %d is printed after line %d", n, last)
		case n > last+1 && !isFirst:
			t.Errorf("between lines %d and %d none is printed, and they were in one file", last, n)
		case n > last+1 && begins.Format(time.RFC3339Nano) == said[1]:
			reported = n - last - 1
		case n > last+1: // lines that are written while the kubelet rotates their file may escape its readers
			t.Logf("lines %d to %d are missing, the last ones before their file was rotated", last+1, n-1)
		}
		last = n
	}
	t.Logf("%d lines in %d files, of which %d were rotated away: %s", last, len(firsts), reported, warnings)
	if reported == 0 {
		t.Error("no lines are missing where the warning says it")
	}
}

// numbers returns the numbers of the printed lines.
func numbers(o *output) (all []int) {
	for line := range strings.Lines(o.String()) {
		var n int
		if _, err := fmt.Sscanf(line, "[worker-0] line %d ", &n); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// firstLine returns the number and the time of the first line in a log file; zero if it has none.
func firstLine(path string) (n int, at time.Time) {
	file, err := os.Open(path)
	if err != nil {
		return 0, at
	}
	defer file.Close()
	var text io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			return 0, at
		}
	}
	var stamp string
	if _, err := fmt.Fscanf(text, "%s stdout F line %d ", &stamp, &n); err != nil {
		return 0, at
	}
	at, _ = time.Parse(time.RFC3339Nano, stamp)
	return n, at
}
