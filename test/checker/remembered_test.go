package checker

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// lived has a Framework whose only Task failed once, and then succeeded.
func lived() History {
	task := func(state v1.State, attempt, code int32) *v1.Framework {
		t := v1.TaskStatus{InstanceUID: "T", State: state, AttemptStatus: v1.TaskAttemptStatus{ID: attempt, PodUID: new(types.UID("P")), CompletionTime: &metav1.Time{},
			CompletionStatus: &v1.TaskAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{Code: code}}}}
		if code > 0 {
			t.AttemptStatus.CompletionStatus.Pod = &v1.PodCompletionStatus{}
		}
		return &v1.Framework{ObjectMeta: metav1.ObjectMeta{UID: "F"}, Status: &v1.FrameworkStatus{State: v1.AttemptRunning,
			AttemptStatus: v1.FrameworkAttemptStatus{TaskRoleStatuses: []v1.TaskRoleStatus{{Name: "w", TaskStatuses: []v1.TaskStatus{t}}}}}}
	}
	end := task(v1.Completed, 1, 0)
	end.Status.State = v1.Completed
	end.Status.AttemptStatus.CompletionTime = &metav1.Time{}
	end.Status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{}
	return History{Observations: []Observation{{Version: 1, Framework: task(v1.AttemptCompleted, 0, 7)}, {Version: 2, Framework: task(v1.AttemptDeleting, 1, 0)}, {Version: 3, Framework: end}}}
}

func remembered() Remembered {
	row := func(attempt, code int32) historyapi.TaskAttempt {
		how := historyapi.Completion{Code: code, Type: "Failed"}
		if code == 0 {
			how.Type = "Succeeded"
		}
		return historyapi.TaskAttempt{FrameworkUID: "F", Role: "w", TaskUID: "T", Attempt: attempt, Completion: how}
	}
	return Remembered{
		Frameworks: []historyapi.FrameworkDetail{{Framework: historyapi.Framework{UID: "F"}, Attempts: []historyapi.FrameworkAttempt{{}}}},
		Tasks:      []historyapi.TaskAttempt{row(0, 7), row(1, 0)},
		Verdicts:   []historyapi.Verdict{{FrameworkUID: "F", Role: "w", TaskUID: "T", Decision: historyapi.Completion{Code: 7}}},
		Shadows:    []historyapi.ShadowVerdict{{FrameworkUID: "F", Role: "w", TaskUID: "T", Plugin: "tomorrow", Decision: historyapi.Completion{Code: 7, Type: "Failed"}}},
	}
}

// The history has each attempt and each verdict once, and no other.
func TestRemembered(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Remembered)
		want   string
	}{
		"all":                       {func(*Remembered) {}, ""},
		"an attempt is missing":     {func(m *Remembered) { m.Tasks = m.Tasks[1:] }, "attempt F/0 w-0 T/0 has ended with 7, and is not in the history"},
		"the last is missing":       {func(m *Remembered) { m.Tasks = m.Tasks[:1] }, "attempt F/0 w-0 T/1 has ended with 0, and is not in the history"},
		"the whole is missing":      {func(m *Remembered) { m.Frameworks[0].Attempts = nil }, "attempt F/0 has ended with 0, and is not in the history"},
		"a verdict is missing":      {func(m *Remembered) { m.Verdicts = nil }, "verdict F/0 w-0 T/0 has ended with 7, and is not in the history"},
		"an attempt is there twice": {func(m *Remembered) { m.Tasks = append(m.Tasks, m.Tasks[0]) }, "attempt F/0 w-0 T/0 is in the history 2 times"},
		"a verdict is there twice":  {func(m *Remembered) { m.Verdicts = append(m.Verdicts, m.Verdicts[0]) }, "verdict F/0 w-0 T/0 is in the history 2 times"},
		"an attempt is invented": {func(m *Remembered) {
			m.Tasks = append(slices.Clone(m.Tasks), m.Tasks[1])
			m.Tasks[2].Attempt = 9
		}, "attempt F/0 w-0 T/9 is in the history, and was never seen"},
		"a verdict is invented": {func(m *Remembered) { m.Verdicts[0].Index = 4 }, "verdict F/0 w-4 T/0 is in the history, and was never seen"},
		"an outcome is another": {func(m *Remembered) { m.Tasks[0].Completion.Code = 8 }, "attempt F/0 w-0 T/0 has ended with 7, and with 8 in the history"},
		"another decision":      {func(m *Remembered) { m.Verdicts[0].Decision.Code = 8 }, "verdict F/0 w-0 T/0 has ended with 7, and with 8 in the history"},
		"a verdict in shadow is there twice": {func(m *Remembered) { m.Shadows = append(m.Shadows, m.Shadows[0]) },
			"verdict of plugin tomorrow in shadow on F/0 w-0 T/0 is in the history twice"},
		"a verdict in shadow is invented": {func(m *Remembered) { m.Shadows[0].Attempt = 9 },
			"verdict of plugin tomorrow in shadow on F/0 w-0 T/9 is in the history, and its attempt was never seen"},
		"a verdict in shadow is compared with another": {func(m *Remembered) { m.Shadows[0].Decision.Code = 8 },
			"verdict of plugin tomorrow in shadow on F/0 w-0 T/0 was compared with 8 Failed, and the attempt ended with 7 Failed"},
		"a verdict in shadow is compared with another phrase": {func(m *Remembered) { m.Shadows[0].Decision.Phrase = "Other" },
			"verdict of plugin tomorrow in shadow on F/0 w-0 T/0 was compared with 7 Other Failed, and the attempt ended with 7 Failed"},
		"a verdict in shadow is compared with other attributes": {func(m *Remembered) { m.Shadows[0].Decision.Attributes = []string{"Transient"} },
			"verdict of plugin tomorrow in shadow on F/0 w-0 T/0 was compared with 7 Failed Transient, and the attempt ended with 7 Failed"},
		"a verdict in shadow is about a success": {func(m *Remembered) { m.Shadows[0].Attempt = 1 },
			"verdict of plugin tomorrow in shadow on F/0 w-0 T/1 is about an attempt that did not fail"},
		"a rule is in shadow, too": {func(m *Remembered) {
			m.Shadows = append(m.Shadows, m.Shadows[0])
			m.Shadows[1].Plugin, m.Shadows[1].Rule = "", 7
		}, ""},
		"verdicts in shadow are lost": {func(m *Remembered) { m.Shadows = nil }, ""},
		"another whole":               {func(m *Remembered) { m.Frameworks[0].Framework.UID = "G" }, "attempt G/0 is in the history, and was never seen"},
	} {
		m := remembered()
		test.change(&m)
		c := m.Check(lived(), false)
		require.Equal(t, 4, c.Looked, name)
		if test.want == "" {
			require.Equal(t, len(m.Shadows), c.Shadows, name)
		}
		require.Contains(t, strings.Join(c.Wrong, "\n"), test.want, name)
		require.Equal(t, test.want == "", len(c.Wrong) == 0, "%s: %q", name, c.Wrong)
	}
}

// A killed controller may miss records that nothing waits for: the end of a Framework that is deleted, and attempts that a stop drops.
// Attempts that a retry has dropped are there.
func TestRememberedAfterKills(t *testing.T) {
	m := remembered()
	m.Tasks, m.Frameworks[0].Attempts = m.Tasks[:1], nil
	h := lived()
	require.Len(t, m.Check(h, true).Wrong, 2, "it is still there")

	gone := h.Observations[2]
	gone.Version, gone.Gone = 4, true
	h.Observations = append(h.Observations, gone)
	require.Len(t, m.Check(h, false).Wrong, 2, "nobody was killed")
	require.Empty(t, m.Check(h, true).Wrong)
	m.Tasks = nil
	require.Equal(t, []string{"attempt F/0 w-0 T/0 has ended with 7, and is not in the history"}, m.Check(h, true).Wrong)

	again := lived()
	next := again.Observations[2].Framework.DeepCopy()
	next.Status.State, next.Status.AttemptStatus = v1.AttemptRunning, v1.FrameworkAttemptStatus{ID: 1}
	again.Observations[2].Framework.Status.State = v1.AttemptCompleted
	again.Observations = append(again.Observations, Observation{Version: 4, Framework: next})
	require.Len(t, m.Check(again, true).Wrong, 3, "a retry waits")
	next.Spec.ExecutionType = v1.ExecutionStop
	require.Len(t, m.Check(again, true).Wrong, 1, "a stop does not")
}

// A row whose attempt was not seen is no fault if versions of its Framework are missing.
func TestRememberedInGaps(t *testing.T) {
	m, h := remembered(), lived()
	h.Observations = []Observation{h.Observations[0], h.Observations[2]}
	h.Observations[0].Framework.Status.AttemptStatus.TaskRoleStatuses = nil
	for gap, undecided := range map[Gap]int{{2, 2}: 3, {4, 9}: 0} {
		h.Gaps = []Gap{gap}
		c := m.Check(h, true)
		require.Equal(t, undecided, c.Undecided)
		require.Len(t, c.Wrong, 3-undecided)
	}
}

// A Framework that is gone is deleted in the history, and one that exists is not.
func TestRememberedDeletions(t *testing.T) {
	m, h := remembered(), lived()
	require.Empty(t, m.CheckDeletions(h))
	m.Frameworks[0].Framework.State = historyapi.StateDeleted
	require.Equal(t, []string{"Framework F exists, and is deleted in the history"}, m.CheckDeletions(h))
	require.Empty(t, m.CheckDeletions(History{}), "nothing was seen of it")

	gone := h.Observations[2]
	gone.Version, gone.Gone = 4, true
	h.Observations = append([]Observation{gone}, h.Observations...)
	require.Empty(t, m.CheckDeletions(h))
	m.Frameworks[0].Framework.State = "Completed"
	require.Equal(t, []string{"Framework F is gone, and is Completed in the history"}, m.CheckDeletions(h))
	m.Frameworks[0].Framework.State = ""
	require.Equal(t, []string{"Framework F is gone, and is without a state in the history"}, m.CheckDeletions(h))
	require.Empty(t, Remembered{}.CheckDeletions(h), "it has nothing of it")

	require.Zero(t, m.DeletedUnseen())
	m.Frameworks[0].Framework.DeletedBefore = new(time.Now())
	require.Equal(t, 1, m.DeletedUnseen())
}
