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
)

// Codes and phrases are those of the default configuration.
func TestManualCodes(t *testing.T) {
	text := manualPage(t, "failures.md")
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
	requireRows(t, rowsOf(section(t, text, "## Default rules")), want)
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

// What the manual says about its example of rules is what they do.
func TestManualRules(t *testing.T) {
	text := section(t, manualPage(t, "failures.md"), "## Your own rules")
	text, _, _ = strings.Cut(text, "\n### ")
	block := yamlBlock.FindStringSubmatch(text)
	if block == nil {
		t.Fatal("there is no example")
	}
	c, err := config.Parse([]byte(block[1]))
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
	if got := rowsOf(text); len(got) == 0 || !slices.EqualFunc(got[1:], want, slices.Equal[[]string]) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func podOf(containers ...completion.Container) completion.Pod {
	return completion.Pod{Name: "p", Containers: containers}
}

func exited(name string, code int32, at time.Time, message string) completion.Container {
	return completion.Container{Name: name, Terminated: true, Code: code, Reason: "Error", Message: message, FinishedAt: at}
}
