package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// shadowRecord is the answer of a plugin or a rule in shadow about the Pod of taskRecord, `answered` seconds after the start.
func shadowRecord(f *pluginpb.Framework, role string, index, attempt int32, answered int, plugin string, rule int32, outcome string, code int32, verdict *pluginpb.Completion) *pluginpb.Record {
	t := taskRecord(f, role, index, attempt, answered, "", code)
	s := &pluginpb.ShadowVerdictRecord{Plugin: plugin, Rule: rule, TaskRole: role, TaskIndex: index, TaskAttemptId: attempt,
		TaskUid: t.GetTaskAttempt().GetTaskUid(), PodUid: t.GetTaskAttempt().GetPodUid(), Outcome: outcome, Decision: outcomeOf(code), Verdict: verdict}
	if plugin != "" && verdict != nil {
		s.Answer = &pluginpb.Verdict{Uid: s.PodUid, Code: verdict.Code, Phrase: verdict.Phrase, DelaySeconds: new(int32(30))}
	}
	return &pluginpb.Record{Key: fmt.Sprintf("%s/shadow/%s/%d", t.Key, plugin, rule), Framework: f, Time: after(answered),
		Content: &pluginpb.Record_ShadowVerdict{ShadowVerdict: s}}
}

// Verdicts in shadow are stored once, listed, and added up: how often each would have changed something, and how.
func TestShadowVerdicts(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		train, again, eval := about("prod", "train", 0), about("prod", "train", 1), about("dev", "eval", 0)
		sent := []*pluginpb.Record{
			shadowRecord(train, "w", 0, 0, 100, "tomorrow", 0, historyapi.ShadowOtherType, 7, outcomeOf(-110)),
			shadowRecord(train, "w", 1, 0, 101, "tomorrow", 0, historyapi.ShadowOtherType, 7, outcomeOf(-110)),
			shadowRecord(train, "w", 2, 0, 102, "tomorrow", 0, historyapi.ShadowSame, 7, nil),
			shadowRecord(again, "w", 2, 0, 103, "tomorrow", 0, historyapi.ShadowOtherCode, 7, outcomeOf(8)),
			shadowRecord(train, "w", 0, 0, 100, "", 300, historyapi.ShadowOtherCode, 7, outcomeOf(300)),
			shadowRecord(train, "w", 1, 0, 101, "", 300, historyapi.ShadowNoOpinion, 7, nil),
			shadowRecord(eval, "w", 0, 0, 200, "", 300, historyapi.ShadowNoOpinion, 9, nil),
			taskRecord(train, "w", 0, 0, 100, "node-a", 7),
		}
		s := ingested(t, opened(t, create(t)), sent)
		require.Equal(t, Counts{Stored: 8}, s.Counts())
		ingested(t, s, sent)
		require.Equal(t, Counts{Stored: 8, Duplicates: 8}, s.Counts())

		for name, test := range map[string]struct {
			q    ShadowQuery
			want string
		}{
			"all":           {ShadowQuery{}, "eval/0:300 train/2:tomorrow train/2:tomorrow train/1 train/1 train/0 train/0"},
			"namespace":     {ShadowQuery{Namespace: "dev"}, "eval/0:300"},
			"Framework":     {ShadowQuery{Namespace: "dev", Name: "eval"}, "eval/0:300"},
			"plugin":        {ShadowQuery{Plugin: "tomorrow"}, "train/2:tomorrow train/2:tomorrow train/1:tomorrow train/0:tomorrow"},
			"rule":          {ShadowQuery{Rule: new(int32(300))}, "eval/0:300 train/1:300 train/0:300"},
			"differences":   {ShadowQuery{Rule: new(int32(300)), Differs: true}, "train/0:300"},
			"time":          {ShadowQuery{Range: Range{Since: start.Add(102 * time.Second), Until: start.Add(103 * time.Second)}}, "train/2:tomorrow"},
			"pages of some": {ShadowQuery{Plugin: "tomorrow", Limit: 3}, "train/2:tomorrow train/2:tomorrow train/1:tomorrow train/0:tomorrow"},
		} {
			if test.q.Range == (Range{}) {
				test.q.Range = always
			}
			if test.q.Limit == 0 {
				test.q.Limit = 10
			}
			var got []string
			for {
				page, err := s.ShadowVerdicts(t.Context(), test.q)
				require.NoError(t, err)
				for _, v := range page.Items {
					by := v.Plugin
					if by == "" {
						by = fmt.Sprint(v.Rule)
					}
					got = append(got, fmt.Sprintf("%s/%d:%s", v.FrameworkName, v.Index, by))
				}
				if test.q.After = page.Next; page.Next == "" {
					break
				}
			}
			if name == "all" { // two answers at the same time are in the order of storage
				for i := 3; i < len(got); i++ {
					got[i], _, _ = strings.Cut(got[i], ":")
				}
			}
			require.Equal(t, test.want, strings.Join(got, " "), name)
		}
		_, err := s.ShadowVerdicts(t.Context(), ShadowQuery{Namespace: "dev", Name: "train", Range: always, Limit: 1})
		require.ErrorIs(t, err, ErrNotFound)
		_, err = s.ShadowVerdicts(t.Context(), ShadowQuery{Range: always, Limit: 1, After: "x"})
		require.ErrorIs(t, err, ErrToken)

		page, err := s.ShadowVerdicts(t.Context(), ShadowQuery{Plugin: "tomorrow", Range: always, Limit: 10})
		require.NoError(t, err)
		v := page.Items[3]
		require.Equal(t, []any{"prod", "w", int32(0), historyapi.ShadowOtherType, int32(7), "rule-7", int32(-110), []string{"Transient"}},
			[]any{v.Namespace, v.Role, v.Attempt, v.Outcome, v.Decision.Code, v.Decision.Rule, v.Verdict.Code, v.Verdict.Attributes})
		require.Contains(t, string(v.Answer), "delaySeconds")
		require.Nil(t, page.Items[1].Verdict, "it is the same")

		report, err := s.Shadow(t.Context(), ShadowQuery{Range: always})
		require.NoError(t, err)
		require.Len(t, report.Rows, 2)
		tomorrow, rule := report.Rows[0], report.Rows[1]
		require.Equal(t, []any{"tomorrow", int64(4), int64(3)}, []any{tomorrow.Plugin, tomorrow.Answers, tomorrow.Differed})
		require.Equal(t, map[string]int64{"same": 1, "other_type": 2, "other_code": 1}, tomorrow.Outcomes)
		require.Len(t, tomorrow.Differences, 2)
		d := tomorrow.Differences[0]
		require.Equal(t, []any{int64(2), "other_type", int32(7), int32(-110), "prod", "train", int32(0), "w", int32(0)},
			[]any{d.Count, d.Outcome, d.Decision.Code, d.Verdict.Code, d.Namespace, d.FrameworkName, d.FrameworkAttempt, d.Role, d.Index})
		require.Equal(t, []any{int32(300), int64(3), int64(1)}, []any{rule.Rule, rule.Answers, rule.Differed})
		report, err = s.Shadow(t.Context(), ShadowQuery{Namespace: "dev", Range: always})
		require.NoError(t, err)
		require.Equal(t, []historyapi.ShadowRow{{Rule: 300, Answers: 1, Outcomes: map[string]int64{"no_opinion": 1}, Differences: []historyapi.ShadowDifference{}}}, report.Rows)

		detail, err := s.Framework(t.Context(), "prod", "train", "")
		require.NoError(t, err)
		var got []string
		for _, d := range detail.Shadow {
			got = append(got, fmt.Sprintf("%d:%d>%d*%d", d.FrameworkAttempt, d.Decision.Code, d.Verdict.Code, d.Count))
		}
		require.Equal(t, []string{"0:7>-110*2", "0:7>300*1", "1:7>8*1"}, got)

		tasks, err := s.Tasks(t.Context(), TaskQuery{Namespace: "prod", Name: "train", Role: "w", Index: new(int32(0)), Limit: 10, Details: true})
		require.NoError(t, err)
		require.Len(t, tasks.Items, 1)
		require.Len(t, tasks.Items[0].Shadow, 2)
		require.Equal(t, "tomorrow", tasks.Items[0].Shadow[1].Plugin)
	})
}
