package security

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func contains(text, part string) error {
	if !strings.Contains(text, part) {
		return fmt.Errorf("%d bytes do not have %q in them", len(text), part)
	}
	return nil
}

const forgedLine = `I1121 00:00:00.000000       1 history.go:0] [other/forged]: Framework Deleted: OnFrameworkDeletion: ObjectSnapshot: {"kind":"Framework"}`

// breaks end a line in one way or another.
var breaks = map[string]string{"newline": "\n", "return": "\r", "both": "\r\n", "unicode": "\u2028", "escape": "\x1b[2K\x1b[1G"}

var (
	// logLine matches the beginning of a line of the log; further lines of an entry are indented.
	logLine = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+.{0,6} \[(DEBUG|INFO|WARN|ERROR)\] +\S|^  `)
	// electionLine matches client-go's messages about the lease.
	electionLine = regexp.MustCompile(`^I\d{4} .{15} +\d+ leaderelection\.go:\d+\] "[A-Za-z .]*" lock="frameworkcontroller/frameworkcontroller"$`)
	historyLine  = regexp.MustCompile(`^I\d{4} .*?ObjectSnapshot: (\{.*\})$`)
)

// No text of a container or of a template becomes a line of its own: log collectors are not deceived.
func TestLogLinesAreNotForged(t *testing.T) {
	p, a := startController(t, judges), newAuthor(t, "lines")
	for name, end := range breaks {
		text, err := json.Marshal("x" + end + forgedLine + end)
		require.NoError(t, err)
		said := string(text)
		a.create(name, `{description: `+said+`, taskRoles: [{name: a, taskNumber: 1, task: {retryPolicy: {maxRetryCount: 1}, pod: `+
			strings.Replace(ending("1,1"), "annotations: {", "annotations: {simulate.frameworkcontroller.io/message: "+said+", ", 1)+`}}]}`)
		a.create("unknown"+name, oneTask(strings.Replace(ending("0"), "{name: main,", "{name: main, "+said+": 1,", 1)))
		a.create("value"+name, oneTask(strings.Replace(ending("0"), "{name: main,", "{name: main, imagePullPolicy: "+said+",", 1)))
		a.create("key"+name, oneTask(`{metadata: {labels: {`+said+`: b}}, spec: {`+container+`}}`))
	}
	for name := range breaks {
		for _, before := range []string{"", "unknown", "value", "key"} {
			a.awaitCondition(before+name, v1.ConditionCompleted)
		}
	}
	told := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(p.Text(), "\n"), "\n") {
		if strings.ContainsAny(line, "\r\x1b") {
			t.Errorf("control characters: %q", line)
		}
		if found := historyLine.FindStringSubmatch(line); found != nil {
			told++
			if !json.Valid([]byte(found[1])) || strings.HasPrefix(line, forgedLine) {
				t.Errorf("history: %q", line)
			}
		} else if !logLine.MatchString(line) && !electionLine.MatchString(line) || strings.Contains(line, ": ObjectSnapshot: ") {
			t.Errorf("not a line of the log: %q", line)
		}
	}
	if told == 0 {
		t.Error("there is no history to compare with")
	}
}
