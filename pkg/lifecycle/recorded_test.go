package lifecycle_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// recordedTraces repeat the operations on the original that recorded testdata/recorded/traces.json; labels mark the snapshots.
var recordedTraces = map[string][]command{
	"batchsucceeded": {
		{"framework", "a x2\nb"}, {line: "label running"},
		{line: "exit a-0 0"}, {line: "label one"}, {line: "exit b-0 0"}, {line: "label two"},
		{line: "exit a-1 0"}, {line: "label all"},
	},
	"taskretryunknown": {
		{"framework", "a x2 max=1"}, {line: "exit a-0 9"}, {line: "label first"},
		{line: "exit a-0 9"}, {line: "label second"},
	},
	"frameworkretry": {
		{"framework fancy max=1", "a x2"}, {line: "exit a-1 5"}, {line: "label unknown"},
		{line: "exit a-0 200"}, {line: "label transient"}, {line: "exit a-1 5"}, {line: "label unknown2"},
	},
	"rescalebasic": {
		{"framework", "a x4 failed=4 succeeded=1"}, {line: "label running"},
		{line: "delete pod a-2"}, {line: "delete pod a-3"}, {line: "label twofail"},
		{"edit", "a x2 failed=2"}, {line: "label down"}, {"edit", "a x4 failed=4"}, {line: "label up"},
		{line: "delete pod a-2"}, {line: "label fail2"},
		{"edit", "a x2 failed=2"}, {"edit", "a x3 failed=3"}, {line: "label downup3"},
		{"edit", "a x4 failed=4"}, {line: "label up4"}, {"edit", "a x6"}, {line: "label up6"},
		{line: "exit a-5 0"}, {line: "label succ"},
	},
	"stoprunning": {
		{"framework fancy max=-2", "a x2"}, {line: "edit exec=Stop"}, {line: "label stop"},
	},
	"poddeleted": {
		{"framework", "a x2 fancy"}, {line: "delete pod a-0"}, {line: "label deleted"},
		{line: "exit a-0 0"}, {line: "exit a-1 0"}, {line: "label ok"},
	},
	"podevicted": {
		{"framework", "a fancy"}, {line: "exit a-0 0 Evicted"}, {line: "label evicted"},
		{line: "exit a-0 0 DeadlineExceeded"}, {line: "label deadline"},
	},
	"addrole": {
		{"framework", "a"}, {"edit", "b x2"}, {line: "label added"}, {"edit", "-a"}, {line: "label removed"},
		{line: "exit b-0 0"}, {line: "exit b-1 0"}, {line: "label done"},
	},
}

type recordedTrace struct {
	Snapshots []struct {
		Label     string
		Framework map[string]any
	}
}

// TestRecordedTraces: every status that the original was seen with is the status here.
func TestRecordedTraces(t *testing.T) {
	traces := readTraces(t)
	for _, name := range slices.Sorted(maps.Keys(traces)) {
		t.Run(name, func(t *testing.T) {
			config := lifecycletest.Config()
			config.Rules = podFailureRules(t)
			story := lifecycletest.NewStory(config)
			newChecker(t, story)
			got := map[string]string{}
			for _, c := range recordedTraces[name] {
				if label, ok := strings.CutPrefix(c.line, "label "); ok {
					got[label] = masked(t, name, story)
				} else if _, err := story.Do(c.line, c.input); err != nil {
					t.Fatal(err)
				}
			}
			for _, snapshot := range traces[name].Snapshots {
				if want := text(snapshot.Framework); got[snapshot.Label] != want {
					t.Errorf("%s:\ngot  %s\nwant %s", snapshot.Label, got[snapshot.Label], want)
				}
			}
		})
	}
}

func readTraces(t *testing.T) map[string]recordedTrace {
	b, err := os.ReadFile("testdata/recorded/traces.json")
	require.NoError(t, err)
	var traces map[string]recordedTrace
	require.NoError(t, json.Unmarshal(b, &traces))
	return traces
}

// podFailureRules are the two entries of the default configuration that the traces meet.
func podFailureRules(t *testing.T) *completion.Rules {
	rule := func(code int32, phrase, reason string, attribute v1.CompletionTypeAttribute) completion.RuleSpec {
		return completion.RuleSpec{
			Code: &code, Phrase: phrase,
			Type:        completion.TypeSpec{Attributes: []v1.CompletionTypeAttribute{attribute}},
			PodPatterns: []*completion.PodPatternSpec{{ReasonRegex: &reason}},
		}
	}
	rules, err := completion.Compile([]completion.RuleSpec{
		rule(-1000, "PodEvicted", "(?i)^Evicted$", v1.AttributeTransient),
		rule(-1004, "PodDeadlineExceeded", "(?i)^DeadlineExceeded$", v1.AttributePermanent),
	})
	require.NoError(t, err)
	return rules
}

// masked is the stored status in the form of the recording: without identities, times, wording, null or empty values, and without
// fields that the original lacks.
func masked(t *testing.T, framework string, story *lifecycletest.Story) string {
	var status map[string]any
	require.NoError(t, json.Unmarshal([]byte(text(story.Stored().Status())), &status))
	for _, added := range []string{"conditions", "observedGeneration", "tasks", "gate"} {
		delete(status, added)
	}
	return strings.ReplaceAll(text(mask("", status)), `"demo-`, `"`+framework+`-`)
}

var masks = map[string]string{
	"configMapUID": "UID", "podUID": "UID", "podIP": "IP", "podNodeName": "NODE", "podHostIP": "127.0.0.1",
	"startTime": "TIME", "runTime": "TIME", "completionTime": "TIME",
}

// The original keeps nothing of earlier attempts, and does not note which rule a Task has met.
var leftOut = []string{"diagnostics", "message", "transitionTime", "earlierAttempts", "rule"}

func mask(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			if v[k] = mask(k, inner); v[k] == nil || slices.Contains(leftOut, k) {
				delete(v, k)
			}
		}
	case []any:
		for i := range v {
			v[i] = mask("", v[i])
		}
		if len(v) == 0 {
			return nil
		}
	case string:
		return maskText(key, v)
	}
	return value
}

func maskText(key, value string) any {
	attempt, _, hasAttempt := strings.Cut(value, "_")
	switch {
	case value == "":
		return nil
	case key == "instanceUID" && hasAttempt:
		return attempt + "_UID"
	case key == "instanceUID":
		return "UID"
	case masks[key] != "":
		return masks[key]
	}
	return value
}
