package firstfailure

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

func at(second int) time.Time { return time.Unix(1_790_000_000+int64(second), 0) }

// The first failure is the same in whichever order failures are seen.
func TestFirstFailure(t *testing.T) {
	for name, c := range map[string]struct {
		failures []Failure
		id       int64
		want     historyapi.FirstFailure
	}{
		"nothing failed": {nil, 0, historyapi.FirstFailure{Why: historyapi.NoneFailed}},
		"all were cut short": {[]Failure{{ID: 1, Kind: EndedByOthers, Ended: at(1)}, {ID: 2, Kind: EndedByOthers, Ended: at(2)}},
			0, historyapi.FirstFailure{Why: historyapi.NoneFailed, EndedByOthers: 2}},
		"the earliest": {[]Failure{{ID: 1, Ended: at(3)}, {ID: 2, Ended: at(1)}, {ID: 3, Ended: at(2)}},
			2, historyapi.FirstFailure{Why: historyapi.FailedFirst, Consequences: 2}},
		"a restarted peer that ended earlier, by its node's clock": {[]Failure{{ID: 1, Ended: at(3)}, {ID: 2, Ended: at(1), Kind: EndedByOthers}},
			1, historyapi.FirstFailure{Why: historyapi.FailedFirst, EndedByOthers: 1}},
		"disruptions before and after": {[]Failure{{ID: 1, Ended: at(3)}, {ID: 2, Ended: at(1), Kind: Disruption}, {ID: 3, Ended: at(4), Kind: Disruption}, {ID: 4, Ended: at(9)}},
			1, historyapi.FirstFailure{Why: historyapi.FailedFirst, Consequences: 2, DisruptionsBefore: 1}},
		"only disruptions": {[]Failure{{ID: 1, Ended: at(3), Kind: Disruption}, {ID: 2, Ended: at(1), Kind: Disruption}, {ID: 3, Ended: at(0), Kind: EndedByOthers}},
			2, historyapi.FirstFailure{Why: historyapi.DisruptedFirst, Consequences: 1, EndedByOthers: 1}},
		"equal times, by role": {[]Failure{{ID: 1, Role: "worker"}, {ID: 2, Role: "ps", Index: 3}},
			2, historyapi.FirstFailure{Why: historyapi.FailedFirst, Consequences: 1}},
		"equal times and roles, by index and attempt": {[]Failure{{ID: 1, Index: 10}, {ID: 2, Index: 2, Attempt: 1}, {ID: 3, Index: 2}},
			3, historyapi.FirstFailure{Why: historyapi.FailedFirst, Consequences: 2}},
	} {
		for seed := range uint64(5) {
			random := rand.New(rand.NewPCG(seed, 1))
			random.Shuffle(len(c.failures), func(i, j int) { c.failures[i], c.failures[j] = c.failures[j], c.failures[i] })
			var s Search
			for _, f := range c.failures {
				s.Add(f)
			}
			id, answer, found := s.Answer()
			require.Equal(t, c.id != 0, found, name)
			require.Equal(t, c.id, id, name)
			require.Equal(t, c.want, answer, name)
		}
	}
}

// A container may exit with any number: only a code of the controller with its own phrase has the controller's meaning.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		completion historyapi.Completion
		want       Kind
	}{
		{historyapi.Completion{Code: 1, Phrase: "ContainerUnrecognizedFailed", Type: "Failed"}, Own},
		{historyapi.Completion{Code: -220, Phrase: "FrameworkAttemptCompletion", Type: "Failed", Attributes: []string{"Permanent"}}, EndedByOthers},
		{historyapi.Completion{Code: -240, Phrase: "RestartedWithPeers", Type: "Failed", Attributes: []string{"Transient"}}, EndedByOthers},
		{historyapi.Completion{Code: -220, Phrase: "Mine", Type: "Failed"}, Own},
		{historyapi.Completion{Code: -101, Phrase: "PodExternalDeleted", Type: "Failed", Attributes: []string{"Transient"}}, Disruption},
		{historyapi.Completion{Code: 137, Phrase: "ContainerSigKillReceived", Type: "Failed", Plugin: "Kubernetes", Rule: "PreemptionByScheduler"}, Disruption},
		{historyapi.Completion{Code: 201, Phrase: "ContainerTransientConflictFailed", Type: "Failed", Attributes: []string{"Transient", "Conflict"}}, Disruption},
		{historyapi.Completion{Code: 200, Phrase: "ContainerTransientFailed", Type: "Failed", Attributes: []string{"Transient"}}, Own},
		{historyapi.Completion{Code: -300, Phrase: "PodFailedWithoutFailedContainer", Type: "Failed"}, Own},
		{historyapi.Completion{}, Own},
	} {
		require.Equal(t, c.want, KindOf(&c.completion), "%+v", c.completion)
	}
}
