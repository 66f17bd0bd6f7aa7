package checker

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recordedPath holds the history of a real controller without faults, with Frameworks of some shapes of test/chaos. To record it again:
//
//	chaos -calm -seed 1 -frameworks 34 -faults 15s
//	go test ./test/checker -run TestRecorded -record ../../bin/chaos
const recordedPath = "testdata/calm.json.gz"

var record = flag.String("record", "", "folder that a run of chaos has left, to be recorded anew")

// shapesRecorded are the Frameworks that are taken from it.
var shapesRecorded = regexp.MustCompile(`^(flaky|failing|permanent|anyone|rescaled|shrinking|conflict|stopped|reborn|shortlived|squatted)\d(-|$)|` +
	`^(stopped11|reborn13|shortlived14|squatted15)(-|$)`)

// versionsApart leaves room between versions for moved observations.
const versionsApart = 1000

func recorded(t *testing.T) History {
	t.Helper()
	if *record != "" {
		recordAnew(t)
	}
	h := readHistory(t, recordedPath)
	for i := range h.Observations {
		h.Observations[i].Version *= versionsApart
	}
	for i := range h.Requests {
		h.Requests[i].Version *= versionsApart
	}
	return h
}

func readHistory(t *testing.T, path string) (h History) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(unpacked).Decode(&h))
	return h
}

func recordAnew(t *testing.T) {
	t.Helper()
	whole := readHistory(t, filepath.Join(*record, "history.json.gz"))
	requests, err := ReadAudit(filepath.Join(*record, "audit.log"))
	require.NoError(t, err)
	h := History{
		Observations: slices.DeleteFunc(inOrder(whole.Observations), func(s Observation) bool { return !shapesRecorded.MatchString(s.object().GetName()) }),
		Requests:     slices.DeleteFunc(requests, func(r Request) bool { return !shapesRecorded.MatchString(r.Name) }),
	}
	file, err := os.Create(recordedPath)
	require.NoError(t, err)
	defer file.Close()
	packed := gzip.NewWriter(file)
	require.NoError(t, json.NewEncoder(packed).Encode(h))
	require.NoError(t, packed.Close())
}

// The history of a real controller has no violations. If a creation, or a deletion after an outcome, is moved before the status that calls
// for it, that is found.
func TestRecorded(t *testing.T) {
	clean := recorded(t)
	report := Check(clean, Options{})
	for _, v := range report.Violations {
		t.Error(v)
	}
	ours := func(r Request) bool { return strings.HasPrefix(r.Agent, "frameworkcontroller/") }
	tried := 0
	for i, x := range clean.Observations {
		at := justification(clean, x, ours)
		if at < 0 || first(clean, x) != i {
			continue
		}
		if tried++; tried%apart != 0 {
			continue
		}
		moved := clone(clean)
		moved.Observations[i].Version = clean.Observations[at].Version - 1
		if told := Check(moved, Options{}).Violations; !slices.ContainsFunc(told, func(v Violation) bool { return v.Guarantee == StoredFirst || v.Guarantee == Adoption }) {
			t.Errorf("%s (%s) of version %d came before version %d, and this was told: %v", x.object().GetName(), x.object().GetUID(),
				x.Version, clean.Observations[at].Version, told)
		}
	}
	t.Logf("%d checks of the clean history; %d others", report.Total(), tried/apart)
	if tried < 100 {
		t.Errorf("there are %d histories to try", tried)
	}
}

// first is where the step that an observation belongs to begins: the creation of its object, or the begin of its
// deletion.
func first(h History, x Observation) int {
	ends := func(s Observation) bool { return s.Gone || s.object().GetDeletionTimestamp() != nil }
	return slices.IndexFunc(h.Observations, func(s Observation) bool {
		return s.object().GetUID() == x.object().GetUID() && ends(s) == ends(x)
	})
}

// No status that a real controller stored may be stored again after a later one.
func TestRecordedGoesForward(t *testing.T) {
	clean := recorded(t)
	last := map[string]Observation{}
	tried := 0
	for _, x := range clean.Observations {
		if x.Framework == nil || x.Framework.Status == nil {
			continue
		}
		before, found := last[string(x.Framework.UID)]
		last[string(x.Framework.UID)] = x
		if !found || x.Gone || asText(exposed(before)) == asText(exposed(x)) {
			continue
		}
		if tried++; tried%apart != 0 {
			continue
		}
		back := clone(clean)
		before.Version = x.Version + 1
		back.Observations = append(back.Observations, before)
		if len(Check(back, Options{}).Violations) == 0 {
			t.Errorf("the status of %s at version %d was followed by the one before, and nobody was told", x.Framework.Name, x.Version)
		}
	}
	t.Logf("%d histories", tried/apart)
	if tried < 100 {
		t.Errorf("there are %d histories to try", tried)
	}
}

// exposed is the part of a status that only moves forward. Addresses, counts and conditions come and go.
func exposed(s Observation) []any {
	f := newFramework(s.Framework)
	out := []any{f.Status.State, f.Status.RunTime, f.attempt().ID, f.attempt().ConfigMapUID, f.attempt().CompletionStatus}
	for _, role := range f.attempt().TaskRoleStatuses {
		for _, task := range role.TaskStatuses {
			a := task.AttemptStatus
			out = append(out, task.InstanceUID, task.State, task.RunTime, task.DeletionPending, a.ID, a.PodUID, a.CompletionStatus)
		}
	}
	return out
}
