package barrier

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func parse(t *testing.T, text string) *framework {
	t.Helper()
	f, err := parseFramework([]byte(text))
	require.NoError(t, err)
	return f
}

// In a role with parallelism as many addresses are awaited as Tasks run at once, and only Tasks with an address are peers. Their indices
// stay.
func TestReadyRuleInTurns(t *testing.T) {
	inTurns := func(servers ...string) *framework {
		f := parse(t, sample(servers, []string{"9"}))
		for i := range f.spec.TaskRoles {
			if f.spec.TaskRoles[i].Name == "server" {
				f.spec.TaskRoles[i].Parallelism = new(int32(2))
			}
		}
		return f
	}
	for name, c := range map[string]struct {
		f    *framework
		want counts
	}{
		"one of two":           {inTurns("1", "", ""), counts{2, 3}},
		"as many as may run":   {inTurns("1", "2", ""), counts{3, 3}},
		"later ones":           {inTurns("1", "", "3"), counts{3, 3}},
		"no more than may run": {inTurns("1", "2", "3"), counts{3, 3}},
		"fewer Tasks":          {inTurns("1"), counts{2, 2}},
	} {
		if got := c.f.count(); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
	var indices []int
	for _, r := range inTurns("1", "", "3").peers() {
		if r.name == "server" {
			for _, p := range r.tasks {
				indices = append(indices, p.index)
			}
		}
	}
	if !slices.Equal(indices, []int{0, 2}) {
		t.Errorf("peers %v", indices)
	}
}

// The ready rule, contract 10.2.
func TestReadyRule(t *testing.T) {
	none := []string{}
	finished := strings.ReplaceAll(sample([]string{"1"}, []string{"2"}), "AttemptPreparing", "Completed")
	waits := strings.Replace(sample([]string{"1"}, []string{"2"}), `"deletionPending":false`,
		`"deletionPending":false,"retryPolicyStatus":{"totalRetriedCount":1,"retryDelaySec":10}`, 1)
	renamed := strings.ReplaceAll(sampleOf(1, 1, []string{"1"}, []string{"3"}),
		`"name":"server","taskStatuses"`, `"name":"gone","taskStatuses"`)
	for name, c := range map[string]struct {
		text         string
		ready, total int
	}{
		"all have addresses":                 {sample([]string{"1", "2"}, []string{"3"}), 3, 3},
		"one has none yet":                   {sample([]string{"1", ""}, []string{"3"}), 2, 3},
		"one is being removed":               {sample([]string{"1", "-2"}, []string{"3"}), 2, 3},
		"the state is not looked at":         {finished, 2, 2},
		"one waits for its retry":            {waits, 1, 2},
		"one has been retried":               {strings.Replace(waits, `"retryDelaySec":10`, `"retryDelaySec":null`, 1), 2, 2},
		"the spec asks for more":             {sampleOf(3, 1, []string{"1"}, []string{"3"}), 2, 4},
		"the spec asks for fewer":            {sampleOf(1, 1, []string{"1", "2"}, []string{"3"}), 2, 2},
		"one too many does not make up":      {sampleOf(1, 2, []string{"1", "2"}, []string{"3"}), 2, 3},
		"a role without a status":            {renamed, 1, 2},
		"no status":                          {sampleWith(1, 1, nil), 0, 2},
		"status without an attempt":          {sampleWith(1, 1, map[string]any{}), 0, 2},
		"no Tasks":                           {sample(none, none), 0, 0},
		"no Tasks and no status":             {sampleWith(0, 0, nil), 0, 0},
		"an empty address, as before a node": {strings.ReplaceAll(sample([]string{"1"}, []string{"3"}), `"podIP":"1"`, `"podIP":""`), 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			got := parse(t, c.text).count()
			if want := (counts{c.ready, c.total}); got != want || got.passed() != (c.ready >= c.total) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

const recorded = "../apis/frameworkcontroller/v1/testdata/recorded/"

// Objects written by the original can be read, and framework.json has everything that they had.
func TestRecorded(t *testing.T) {
	files, err := os.ReadDir(recorded)
	require.NoError(t, err)
	read := 0
	for _, file := range files {
		if !strings.HasPrefix(file.Name(), "framework-") && !strings.HasPrefix(file.Name(), "barrier-framework") {
			continue
		}
		read++
		text, err := os.ReadFile(recorded + file.Name())
		require.NoError(t, err)
		f := parse(t, string(text))
		requireSameFramework(t, f, text)
	}
	if read < 4 {
		t.Errorf("there are %d recorded Frameworks", read)
	}
}

// requireSameFramework compares framework.json with the object as the API types decode it.
func requireSameFramework(t *testing.T, f *framework, text []byte) {
	t.Helper()
	var want, got v1.Framework
	parts, err := f.json()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &want))
	require.NoError(t, json.Unmarshal(bytes.Join(parts, nil), &got))
	if !reflect.DeepEqual(compacted(t, got), compacted(t, want)) {
		t.Errorf("framework.json differs:\n%s", bytes.Join(parts, nil))
	}
}

func compacted(t *testing.T, f v1.Framework) (out any) {
	t.Helper()
	text, err := json.Marshal(f)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// A compressed status is written out plain.
func TestCompressed(t *testing.T) {
	plain := parse(t, ready)
	var whole map[string]any
	json.Unmarshal([]byte(ready), &whole)
	attempt := whole["status"].(map[string]any)["attemptStatus"].(map[string]any)
	roles, _ := json.Marshal(attempt["taskRoleStatuses"])
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	zip.Write(roles)
	zip.Close()
	attempt["taskRoleStatuses"], attempt["taskRoleStatusesCompressed"] = nil, packed.Bytes()
	text, _ := json.Marshal(whole)
	f := parse(t, string(text))
	if got, want := f.count(), plain.count(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !bytes.Equal(f.injector(), plain.injector()) || !bytes.Equal(f.peersJSON(), plain.peersJSON()) {
		t.Errorf("got %s", f.injector())
	}
	parts, err := f.json()
	all := string(bytes.Join(parts, nil))
	if err != nil || strings.Contains(all, "Compressed") || !strings.Contains(all, `"podIP":"10.0.0.3"`) {
		t.Errorf("framework.json is %s (%v)", all, err)
	}
}

// Keys that the original always writes are present even without a value; unknown keys are kept.
func TestFrameworkJSONKeys(t *testing.T) {
	f := parse(t, `{"metadata": {"name": "a", "x": 1}, "status": {"y": 2},
		"spec": {"taskRoles": [{"name": "w", "task": {"pod": {"new": [1]}}}]}}`)
	parts, err := f.json()
	require.NoError(t, err)
	all := string(bytes.Join(parts, nil))
	for _, want := range []string{
		`"description":""`, `"fancyRetryPolicy":false`, `"podGracefulDeletionTimeoutSec":null`,
		`"x": 1`, `"y": 2`, `"pod":{"new":[1]}`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing in %s", want, all)
		}
	}
	if !json.Valid([]byte(all)) {
		t.Errorf("no JSON: %s", all)
	}
	parts, _ = parse(t, `{"metadata": {"name": "a"}, "spec": {}}`).json()
	if all := string(bytes.Join(parts, nil)); !strings.HasSuffix(all, `"status":null}`) {
		t.Errorf("got %s", all)
	}
}

func TestNotReady(t *testing.T) {
	text := sampleOf(1, 5, []string{"10.0.0.1"}, []string{"10.0.0.2", "", "-", ""})
	text = strings.Replace(text, `"train-worker-3","podNodeName":"node-1"`, `"train-worker-3","podNodeName":""`, 1)
	f := parse(t, text)
	got := f.notReady()
	want := "2 of 6 Tasks have an address; late: train-worker-1 (AttemptPreparing on node-1, no address yet), " +
		"train-worker-2 (AttemptPreparing, being removed by a scale-down), train-worker-3 (AttemptPreparing, on no node yet), " +
		"train-worker-4 (not begun); the Framework is AttemptPreparing, " +
		"waiting: Unschedulable: train-worker-1: 0/3 nodes are available"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	many := parse(t, sampleOf(0, 10000, nil, nil)).notReady()
	if !strings.Contains(many, "and 9980 more") || len(many) > 2000 {
		t.Errorf("got %s", many)
	}
}

// A Task that waits for its retry gets no address soon.
func TestNotReadyInItsBackoff(t *testing.T) {
	state := `{"state": "AttemptCompleted", "transitionTime": "2026-11-20T16:30:00Z", "retryPolicyStatus": {"retryDelaySec": 3600},
		"attemptStatus": {"id": 1, "completionStatus": {"code": 9, "phrase": "Nine"}}}`
	got, want := task{state: []byte(state)}.why(), "AttemptCompleted in attempt 1, Nine (9), retried 3600 s after 2026-11-20T16:30:00Z"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The API server's limit for a termination message is in bytes, and a character is not cut into.
func TestCut(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"abc", "abc"}, {"abcdefgh", "abcdefgh"}, {"abcdefghi", "abcde..."}, {"abcdäöüß", "abcd..."},
	} {
		if got := abbreviate(c.text, 8); got != c.want {
			t.Errorf("%q is cut to %q, want %q", c.text, got, c.want)
		}
	}
}
