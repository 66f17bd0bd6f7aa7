package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// Codes and phrases equal the default configuration's.
func TestManualCodes(t *testing.T) {
	text := manualPage(t, "failure-rules.md")
	c, err := config.Load("../../example/config/default/frameworkcontroller.yaml")
	require.NoError(t, err)
	var want [][]string
	for _, rule := range c.PodFailureSpec {
		attributes := "none"
		if of := rule.Type.Attributes; len(of) > 0 {
			attributes = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(of)), ", "), "[]")
		}
		want = append(want, []string{fmt.Sprint(*rule.Code), "`" + rule.Phrase + "`", attributes})
	}
	requireRows(t, page.Rows(page.Section(t, text, "## Default rules")), want)
}

func requireRows(t *testing.T, rows, want [][]string) {
	t.Helper()
	var got [][]string
	for _, row := range rows {
		if len(row) == 3 && strings.HasPrefix(row[1], "`") {
			got = append(got, row)
		}
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The manual describes its example of rules correctly.
func TestManualRules(t *testing.T) {
	text := page.Section(t, manualPage(t, "failure-rules.md"), "## Rules of your own")
	text, _, _ = strings.Cut(text, "\n### ")
	blocks := page.Blocks(text, "yaml")
	require.NotEmpty(t, blocks)
	c, err := config.Parse([]byte(blocks[0].Text))
	require.NoError(t, err)
	ended := time.Now()
	const message = "CUDA error: uncorrectable ECC error"
	tests := []struct {
		what string
		pod  completion.Pod
	}{
		{"container `main` exited with 1, message `" + message + "`", podOf(exited("main", 1, ended, message))},
		{"container `helper` exited with 1, the same message", podOf(exited("helper", 1, ended, message))},
		{"container `main` exited with 200, the same message", podOf(exited("main", 200, ended, message))},
		{"`helper` exited with 3, and 5 seconds later `main` with 4",
			podOf(exited("helper", 3, ended, ""), exited("main", 4, ended.Add(5*time.Second), ""))},
		{"the Pod has the reason `Reclaimed`", completion.Pod{Name: "p", Reason: "Reclaimed"}},
		{"the Pod has the reason `ReclaimedByUs`", completion.Pod{Name: "p", Reason: "ReclaimedByUs"}},
		{"`main` was ended by signal 9, reason `Error`", podOf(completion.Container{
			Name: "main", Terminated: true, Code: 137, Signal: 9, Reason: "Error"})},
	}
	var want [][]string
	for _, tt := range tests {
		outcome := c.Rules().Classify(tt.pod)
		want = append(want, []string{tt.what, fmt.Sprintf("%d `%s`", outcome.Code, outcome.Phrase)})
	}
	if got := page.Rows(text); len(got) == 0 || !slices.EqualFunc(got[1:], want, slices.Equal[[]string]) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func podOf(containers ...completion.Container) completion.Pod {
	return completion.Pod{Name: "p", Containers: containers}
}

func exited(name string, code int32, at time.Time, message string) completion.Container {
	return completion.Container{Name: name, Terminated: true, Code: code, Reason: "Error", Message: message, FinishedAt: at}
}
