// Package vale has tests of the rules in styles.
package vale

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Each rule finds something in each paragraph of testdata/wrong/RULE.md.
func TestRulesFind(t *testing.T) {
	rules, err := filepath.Glob("styles/FrameworkController/*.yml")
	if err != nil || len(rules) == 0 {
		t.Fatalf("%d rules: %v", len(rules), err)
	}
	for _, path := range rules {
		rule := strings.TrimSuffix(filepath.Base(path), ".yml")
		t.Run(rule, func(t *testing.T) {
			page := "testdata/wrong/" + rule + ".md"
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			found, err := findings()
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if line != "" && !strings.Contains(found, fmt.Sprintf("\n%s:%d:%s\n", page, i+1, rule)) {
					t.Errorf("line %d: not found by %s: %s", i+1, rule, line)
				}
			}
		})
	}
}

// No rule but matters of taste finds anything in testdata/right.md.
func TestRulesLeaveRightSentences(t *testing.T) {
	found, err := findings()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(found, "\n") {
		if strings.HasPrefix(line, "testdata/right.md:") && !strings.HasSuffix(line, ":Passive") && !strings.HasSuffix(line, ":There") {
			t.Error(line)
		}
	}
}

// findings returns file:line:rule of each finding on the pages of testdata, between line breaks.
var findings = sync.OnceValues(func() (string, error) {
	if out, err := exec.Command("./build.sh").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building Vale: %w\n%s", err, out)
	}
	out, err := exec.Command("../../bin/vale/vale", "--config", "vale.ini", "--no-exit", "--minAlertLevel=suggestion",
		"--output=testdata/rules.tmpl", "testdata").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("running Vale: %w\n%s", err, out)
	}
	return "\n" + strings.ReplaceAll(string(out), ":FrameworkController.", ":"), nil
})
