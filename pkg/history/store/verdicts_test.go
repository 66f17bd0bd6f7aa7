package store

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/alike"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// verdictRecord is the verdict on taskRecord.
func verdictRecord(f *pluginpb.Framework, role string, index, attempt int32, ended int, node string, code int32) *pluginpb.Record {
	of := taskRecord(f, role, index, attempt, ended, node, code)
	t := of.GetTaskAttempt()
	question := &pluginpb.FailedPod{
		Uid: t.GetPodUid(), Name: t.GetPodName(), TaskRole: role, TaskIndex: index, TaskAttemptId: attempt, Node: node, Labels: map[string]string{"app": "a"},
		Framework: &pluginpb.Framework{Namespace: f.Namespace, Name: f.Name, Uid: f.Uid, AttemptId: f.AttemptId},
		Containers: []*pluginpb.Container{{Name: "main", Image: "app", Terminated: &pluginpb.Terminated{ExitCode: code, Message: "no <space>",
			StartedAt: after(ended - 40), FinishedAt: after(ended - 1)}}},
		Conditions: []*pluginpb.PodCondition{{Type: "Ready", Status: "False"}},
	}
	return &pluginpb.Record{Key: of.Key + "/verdict", Framework: f, Time: after(ended), Content: &pluginpb.Record_Verdict{Verdict: &pluginpb.VerdictRecord{
		Question: question, QuestionDigest: alike.Digest(question), TaskUid: t.GetTaskUid(), Decision: outcomeOf(code),
		Answer: &pluginpb.Verdict{Uid: t.GetPodUid(), Code: code, Phrase: "P", Restart: pluginpb.RestartScope_RESTART_SCOPE_ROLE}, DurationSeconds: 0.25}}}
}

func objectRecord(f *pluginpb.Framework, text string) (r *pluginpb.Record, digest string) {
	d := contentDigest([]byte(text))
	digest = hex.EncodeToString(d[:]) + strings.Repeat("0", 32) // the store uses the first half
	return &pluginpb.Record{Key: f.Uid + "/object/" + digest, Framework: f, Time: after(0),
		Content: &pluginpb.Record_Object{Object: &pluginpb.ObjectRecord{Kind: "Pod", Name: "p", Digest: digest, Content: []byte(text)}}}, digest
}

// A question is returned as it was sent, and equal parts of questions are stored once, for any order and repetition.
func TestVerdicts(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		train, eval := about("prod", "train", 0), about("dev", "eval", 0)
		var sent []*pluginpb.Record
		for i := range int32(5) {
			sent = append(sent, verdictRecord(train, "w", i, 0, 100+int(i), "node-a", 7), taskRecord(train, "w", i, 0, 100+int(i), "node-a", 7))
		}
		sent = append(sent, verdictRecord(eval, "w", 0, 0, 200, "node-b", -110))
		s := ingested(t, opened(t, create(t)), sent)
		require.Equal(t, Counts{Stored: 11}, s.Counts())
		_, err := s.Ingest(t.Context(), "default", sent)
		require.NoError(t, err)
		require.Equal(t, Counts{Stored: 11, Duplicates: 11}, s.Counts())

		code := func(c int32) *int32 { return &c }
		for name, test := range map[string]struct {
			q    VerdictQuery
			want string
		}{
			"all":           {VerdictQuery{}, "eval/0 train/4 train/3 train/2 train/1 train/0"},
			"namespace":     {VerdictQuery{Namespace: "dev"}, "eval/0"},
			"Framework":     {VerdictQuery{Namespace: "prod", Name: "train"}, "train/4 train/3 train/2 train/1 train/0"},
			"plugin":        {VerdictQuery{Plugin: "classifier-exitcode", Rule: "rule-7"}, "train/4 train/3 train/2 train/1 train/0"},
			"another rule":  {VerdictQuery{Rule: "rule-8"}, ""},
			"code":          {VerdictQuery{Code: code(-110)}, "eval/0"},
			"time":          {VerdictQuery{Range: Range{Since: start.Add(101 * time.Second), Until: start.Add(103 * time.Second)}}, "train/2 train/1"},
			"pages of some": {VerdictQuery{Limit: 2}, "eval/0 train/4 train/3 train/2 train/1 train/0"},
		} {
			if test.q.Range == (Range{}) {
				test.q.Range = always
			}
			if test.q.Limit == 0 {
				test.q.Limit = 10
			}
			var got []string
			for {
				page, err := s.Verdicts(t.Context(), test.q)
				require.NoError(t, err)
				for _, v := range page.Items {
					got = append(got, fmt.Sprintf("%s/%d", v.FrameworkName, v.Index))
				}
				if test.q.After = page.Next; page.Next == "" {
					break
				}
			}
			require.Equal(t, test.want, strings.Join(got, " "), name)
		}
		_, err = s.Verdicts(t.Context(), VerdictQuery{Namespace: "dev", Name: "train", Range: always, Limit: 1})
		require.ErrorIs(t, err, ErrNotFound)
		_, err = s.Verdicts(t.Context(), VerdictQuery{Range: always, Limit: 1, After: "x"})
		require.ErrorIs(t, err, ErrToken)

		page, err := s.Verdicts(t.Context(), VerdictQuery{Namespace: "prod", Range: always, Limit: 10})
		require.NoError(t, err)
		v := page.Items[4]
		require.Equal(t, []any{"prod", "train", "w", int32(0), "Code7", "rule-7", 0.25}, []any{v.Namespace, v.FrameworkName, v.Role, v.Index,
			v.Decision.Phrase, v.Decision.Rule, v.Judgment.DurationSeconds})
		var question pluginpb.FailedPod
		require.NoError(t, protojson.Unmarshal(v.Judgment.Question, &question))
		require.True(t, proto.Equal(sent[0].GetVerdict().GetQuestion(), &question), "%s", v.Judgment.Question)
		require.Equal(t, sent[0].GetVerdict().GetQuestionDigest()[:32], v.Judgment.QuestionDigest)
		require.Equal(t, page.Items[0].Judgment.QuestionDigest, v.Judgment.QuestionDigest, "they failed alike")
		require.Contains(t, string(v.Judgment.Answer), "RESTART_SCOPE_ROLE")
		require.EqualValues(t, 2, count(t, s, "content"))

		tasks, err := s.Tasks(t.Context(), TaskQuery{Namespace: "prod", Name: "train", Limit: 1, Details: true})
		require.NoError(t, err)
		require.Equal(t, page.Items[0].Judgment, *tasks.Items[0].Judgment)
	})
}

func count(t *testing.T, s *Store, table string) (n int64) {
	t.Helper()
	require.NoError(t, s.readers.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n))
	return n
}

// An object may arrive before the record that refers to it, or after. It is deleted with the last Framework that refers to it, and after a
// day if none does.
func TestObjects(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		train := about("prod", "train", 0)
		pod, podDigest := objectRecord(train, `{"kind":"Pod","metadata":{"labels":{"a":"b"}}}`)
		whole, digest := objectRecord(train, `{"kind":"Framework"}`)
		broken, _ := objectRecord(train, `{"kind":`)
		first, second := taskRecord(train, "w", 0, 0, 100, "node-a", 7), taskRecord(train, "w", 0, 1, 200, "node-a", 0)
		first.GetTaskAttempt().ObjectDigest = podDigest
		second.GetTaskAttempt().ObjectDigest = strings.Repeat("f", 64)
		f := frameworkRecord(train, 9, 0, outcomeOf(0))
		f.GetFrameworkRecord().ObjectDigest = digest
		s := ingested(t, opened(t, create(t)), []*pluginpb.Record{first, second, f, broken})

		object := TaskObject{Namespace: "prod", Name: "train", Role: "w", TaskAttempt: new(int32(0))}
		_, err := s.TaskObject(t.Context(), object)
		require.ErrorIs(t, err, ErrNoObject, "it has not come yet")
		ingested(t, s, []*pluginpb.Record{pod, whole})
		text, err := s.TaskObject(t.Context(), object)
		require.NoError(t, err)
		require.JSONEq(t, string(pod.GetObject().GetContent()), string(text))
		text, err = s.FrameworkObject(t.Context(), "prod", "train", "")
		require.NoError(t, err)
		require.JSONEq(t, `{"kind":"Framework"}`, string(text))
		object.TaskAttempt = nil
		_, err = s.TaskObject(t.Context(), object)
		require.ErrorIs(t, err, ErrNoObject, "the newest attempt has another one")
		object.Index = 7
		_, err = s.TaskObject(t.Context(), object)
		require.ErrorIs(t, err, ErrNoObject)
		_, err = s.FrameworkObject(t.Context(), "prod", "eval", "")
		require.ErrorIs(t, err, ErrNotFound)

		require.NoError(t, s.sweep(t.Context(), time.Now().Add(2*keepContents)))
		require.EqualValues(t, 2, count(t, s, "content"), "they are in use")
		unused, _ := objectRecord(train, `{"kind":"Pod"}`)
		ingested(t, s, []*pluginpb.Record{unused})
		require.NoError(t, s.sweep(t.Context(), time.Now().Add(keepContents/2)))
		require.EqualValues(t, 3, count(t, s, "content"), "it is young")
		require.NoError(t, s.sweep(t.Context(), time.Now().Add(2*keepContents)))
		require.EqualValues(t, 2, count(t, s, "content"))
		s.options.Retain = time.Hour
		_, err = s.Expire(t.Context(), time.Now())
		require.NoError(t, err)
		require.Zero(t, count(t, s, "content"))
	})
}

// A verdict without its question is still in the list.
func TestQuestionIsGone(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := ingested(t, opened(t, create(t)), old("train", 0))
		require.NoError(t, s.change(t.Context(), func(w *writing) error { _, err := w.exec("DELETE FROM content"); return err }))
		page, err := s.Verdicts(t.Context(), VerdictQuery{Range: always, Limit: 10})
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		require.Empty(t, page.Items[0].Judgment.Question)
		_, err = s.Tasks(t.Context(), TaskQuery{Range: always, Limit: 10, Details: true})
		require.NoError(t, err)
	})
}

// The node that fails more often than others comes first, not the node with the most attempts. An attempt ended by others has not failed.
func TestFailures(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		train := about("prod", "train", 0)
		var all []*pluginpb.Record
		add := func(node string, n int, code int32) {
			for range n {
				all = append(all, taskRecord(train, "w", int32(len(all)), 0, len(all), node, code))
			}
		}
		add("busy", 300, 0)
		add("busy", 10, 7)
		add("bad", 6, 0)
		add("bad", 6, 7)
		add("unlucky", 1, 7)
		cut := len(all)
		add("busy", 50, 1)
		for _, r := range all[cut:] {
			r.GetTaskAttempt().Completion = &pluginpb.Completion{Code: -220, Phrase: "FrameworkAttemptCompletion", Type: &pluginpb.CompletionType{Name: "Failed"}}
		}
		all = append(all, taskRecord(train, "w", 0, 9, -2*24*3600, "old", 7))
		s := ingested(t, opened(t, create(t)), all)
		q := FailureQuery{By: "node", Range: Range{Since: start, Until: start.Add(time.Hour)}}
		f, err := s.Failures(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, []int64{373, 17}, []int64{f.Attempts, f.Failed})
		require.Equal(t, []time.Time{start.Add(-12 * time.Hour), start.Add(12 * time.Hour)}, []time.Time{f.Since, f.Until})
		var nodes []string
		for _, r := range f.Rows {
			nodes = append(nodes, r.Group)
		}
		require.Equal(t, []string{"bad", "unlucky", "busy"}, nodes)
		bad := f.Rows[0]
		require.Equal(t, []int64{12, 6, 361, 11}, []int64{bad.Attempts, bad.Failed, bad.BaseAttempts, bad.BaseFailed})
		require.InDelta(t, 0.5, bad.Rate, 1e-9)
		require.InDelta(t, 0.5/(12.0/362), bad.Lift, 1e-9)
		require.Greater(t, bad.LiftAtLeast, 5.0)
		require.Less(t, bad.LiftAtLeast, bad.Lift)

		for by, want := range map[string]string{"code": "7 Code7", "rule": "classifier-exitcode/rule-7", "image": "registry.example/train:2026.3", "role": "w"} {
			q.By = by
			f, err := s.Failures(t.Context(), q)
			require.NoError(t, err)
			require.Len(t, f.Rows, 1, by)
			require.Equal(t, []any{want, int64(17), int64(373)}, []any{f.Rows[0].Group, f.Rows[0].Failed, f.Rows[0].Attempts}, by)
			rows := TaskQuery{Range: q.Range, Failed: true, Limit: 1000}
			switch row := f.Rows[0]; by {
			case "code":
				require.Equal(t, historyapi.Completion{Code: 7, Phrase: "Code7", Type: "Failed", Attributes: []string{"Permanent"}}, *row.Completion)
				rows.Code = &row.Completion.Code
			case "rule":
				rows.Plugin, rows.Rule = row.Plugin, row.Rule
			case "image":
				rows.Image = row.Group
			case "role":
				rows.Role = row.Group
			}
			page, err := s.Tasks(t.Context(), rows)
			require.NoError(t, err)
			require.Len(t, page.Items, 17, "the rows behind the number of the %s", by)
		}
		q.By, q.Range = "code", Range{Since: start.Add(-24 * time.Hour), Until: start.Add(time.Hour)}
		f, err = s.Failures(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, []int64{1, 1}, []int64{f.Rows[0].BaseAttempts, f.Rows[0].BaseFailed}, "the two days before")
		q.Namespace = "dev"
		f, err = s.Failures(t.Context(), q)
		require.NoError(t, err)
		require.Empty(t, f.Rows)
		q.By = "x"
		_, err = s.Failures(t.Context(), q)
		require.ErrorIs(t, err, ErrFailuresBy)
	})
}

// The usage of a Framework includes the time lost to its retries.
func TestUsage(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		train := about("prod", "train", 0)
		lost := taskRecord(train, "w", 0, 0, 100, "n", 7)
		lost.GetTaskAttempt().Retry.Follows = true
		s := ingested(t, opened(t, create(t)), []*pluginpb.Record{lost, taskRecord(train, "w", 0, 1, 200, "n", 0)})
		d, err := s.Framework(t.Context(), "prod", "train", "")
		require.NoError(t, err)
		require.Equal(t, []float64{100, 50}, []float64{d.Usage.RunSeconds, d.Usage.LostSeconds})
		require.Equal(t, []float64{200, 100}, []float64{d.Usage.ResourceSeconds["cpu"], d.Usage.LostResourceSeconds["cpu"]})
	})
}
