package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// The first failure of an attempt is the Task whose containers ended first, not the one whose end was recorded first; an attempt of
// another Framework or another attempt has no part in it.
func TestFirstFailure(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		first, second := about("prod", "train", 0), about("prod", "train", 1)
		culprit := taskRecord(first, "worker", 3, 0, 205, "node-c", 7)
		culprit.GetTaskAttempt().ContainersEnded = after(150)
		cutShort := taskRecord(first, "worker", 4, 0, 140, "node-d", 7)
		cutShort.GetTaskAttempt().Completion = &pluginpb.Completion{Code: -220, Phrase: "FrameworkAttemptCompletion",
			Type: &pluginpb.CompletionType{Name: "Failed", Attributes: []string{"Permanent"}}}
		s := ingested(t, opened(t, create(t)), []*pluginpb.Record{
			frameworkRecord(first, 1, 0, nil), frameworkRecord(about("prod", "idle", 0), 1, 0, nil),
			taskRecord(first, "worker", 0, 0, 200, "node-a", 7), culprit, cutShort,
			taskRecord(first, "ps", 0, 0, 100, "node-b", 0), taskRecord(about("prod", "eval", 0), "worker", 0, 0, 90, "node-a", 7),
			taskRecord(second, "worker", 0, 0, 300, "node-a", 0),
		})
		for _, attempt := range []*int32{nil, new(int32(0))} {
			got, err := s.FirstFailure(t.Context(), "prod", "train", "", attempt)
			require.NoError(t, err)
			require.Equal(t, "train-worker-3", got.Task.Pod)
			require.Len(t, got.Task.Containers, 2)
			require.NotEmpty(t, got.Task.Requests)
			got.Task = nil
			require.Equal(t, historyapi.FirstFailure{Why: historyapi.FailedFirst, Consequences: 1, EndedByOthers: 1}, got)
		}
		got, err := s.FirstFailure(t.Context(), "prod", "train", "", new(int32(1)))
		require.NoError(t, err)
		require.Equal(t, historyapi.FirstFailure{FrameworkAttempt: 1, Why: historyapi.NoneFailed}, got)
		_, err = s.FirstFailure(t.Context(), "prod", "train", "", new(int32(2)))
		require.ErrorIs(t, err, ErrNoneEnded)
		_, err = s.FirstFailure(t.Context(), "prod", "idle", "", nil)
		require.ErrorIs(t, err, ErrNoneEnded)
		_, err = s.FirstFailure(t.Context(), "dev", "train", "", nil)
		require.ErrorIs(t, err, ErrNotFound)
	})
}
