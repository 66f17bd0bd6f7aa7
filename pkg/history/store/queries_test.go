package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Each filter of Frameworks selects only matching Frameworks.
func TestFrameworks(t *testing.T) {
	code := func(c int32) *int32 { return &c }
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := ingested(t, opened(t, create(t)), life())
		for text, q := range map[string]FrameworkQuery{
			"eval train": {},
			"train":      {Namespace: "prod"},
			"eval":       {Name: "eval"},
			"eval ":      {Failed: true},
			"eval  ":     {Code: code(7)},
			"eval   ":    {Type: "Permanent"},
			"train ":     {Type: "Succeeded"},
			"train  ":    {Labels: mustSelect(t, "team=a,user")},
			"eval    ":   {Labels: mustSelect(t, "team!=a")},
			"eval     ":  {Labels: mustSelect(t, "!user")},
			" eval train": {
				Labels: mustSelect(t, "team in (a,b)")},
			"train   ":     {Node: "node-b"},
			"  eval train": {State: "Completed"},
			"":             {State: "Deleted"},
			" ":            {Type: "Trans%"},
			"  ":           {Node: "node-b", Range: Range{Since: start.Add(time.Hour)}},
			"   ":          {Range: Range{Since: start.Add(2 * time.Hour)}},
			"    ":         {Range: Range{Until: start}},
			"     ":        {Cluster: "another"},
		} {
			if q.Range == (Range{}) {
				q.Range = always
			}
			q.Limit = 10
			page, err := s.Frameworks(t.Context(), q)
			require.NoError(t, err)
			var names []string
			for _, f := range page.Items {
				names = append(names, f.Name)
			}
			require.Equal(t, strings.TrimSpace(text), strings.Join(names, " "), "%+v", q)
		}
	})
}

// With details, a Framework has its usage and its latest attempts, as its own answer has them.
func TestDetailsOfFrameworks(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		records := life()
		for i := range int32(mostLatest + 2) {
			f := about("prod", "often", i)
			records = append(records, attemptRecord(f, 100+int(i), 7, i < mostLatest+1), taskRecord(f, "worker", 0, 0, 100+int(i), "node-a", 7))
		}
		s := ingested(t, opened(t, create(t)), records)
		plain, err := s.Frameworks(t.Context(), FrameworkQuery{Range: always, Limit: 10})
		require.NoError(t, err)
		page, err := s.Frameworks(t.Context(), FrameworkQuery{Range: always, Limit: 10, Details: true})
		require.NoError(t, err)
		require.Len(t, page.Items, 3)
		for i, f := range page.Items {
			require.Nil(t, plain.Items[i].Usage)
			require.Nil(t, plain.Items[i].LatestAttempts)
			d, err := s.Framework(t.Context(), f.Namespace, f.Name, f.UID)
			require.NoError(t, err)
			require.Equal(t, d.Usage, *f.Usage, f.Name)
			require.Len(t, f.LatestAttempts, min(mostLatest, len(d.Attempts)), f.Name)
			for j, a := range f.LatestAttempts {
				require.Equal(t, []any{d.Attempts[j].ID, d.Attempts[j].Ended, d.Attempts[j].Completion.Code}, []any{a.ID, a.Ended, a.Completion.Code})
			}
			if f.Name == "often" {
				require.Equal(t, f.Usage.RunSeconds*(mostLatest+1)/(mostLatest+2), f.Usage.LostSeconds)
			}
		}
		page, err = s.Frameworks(t.Context(), FrameworkQuery{Name: "none", Range: always, Limit: 10, Details: true})
		require.NoError(t, err)
		require.Empty(t, page.Items)
	})
}

func mustSelect(t *testing.T, text string) labels.Selector {
	s, err := labels.Parse(text)
	require.NoError(t, err)
	return s
}

// Each filter of Tasks selects only matching rows, in the order in which the attempts ended.
func TestTasks(t *testing.T) {
	n := func(i int32) *int32 { return &i }
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := ingested(t, opened(t, create(t)), life())
		for text, q := range map[string]TaskQuery{
			"train-worker-0/1/0 train-worker-0/0/0 eval-worker-0/0/0": {Node: "node-a"},
			"train-worker-0/0/1 eval-worker-0/0/0":                    {Code: n(7)},
			"train-worker-0/0/0":                                      {Type: "Transient"},
			"eval-worker-0/0/0":                                       {Namespace: "dev"},
			"train-worker-0/1/0":                                      {Namespace: "prod", Name: "train", Attempt: n(1)},
			"train-ps-0/0/0":                                          {Namespace: "prod", Name: "train", Role: "ps"},
			"train-worker-0/0/1 train-worker-0/0/0":                   {Namespace: "prod", Name: "train", Failed: true},
			"":                                                        {Namespace: "prod", Name: "train", Index: n(1)},
			" ":                                                       {Range: Range{Since: start, Until: start.Add(time.Second)}},
		} {
			if q.Range == (Range{}) {
				q.Range = always
			}
			q.Limit = 10
			page, err := s.Tasks(t.Context(), q)
			require.NoError(t, err)
			var found []string
			for _, a := range page.Items {
				require.Nil(t, a.Containers)
				found = append(found, fmt.Sprintf("%s/%d/%d", a.Pod, a.FrameworkAttempt, a.Attempt))
			}
			require.Equal(t, strings.TrimSpace(text), strings.Join(found, " "), "%+v", q)
		}
		_, err := s.Tasks(t.Context(), TaskQuery{Namespace: "dev", Name: "train", Limit: 1})
		require.ErrorIs(t, err, ErrNotFound)
	})
}

// An attempt of a Task is returned as it was sent.
func TestTaskDetails(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		record := taskRecord(about("prod", "train", 3), "worker", 4, 2, 100, "node-a", 7)
		record.GetTaskAttempt().Completion.Remedy = "avoid 7"
		s := ingested(t, opened(t, create(t)), []*pluginpb.Record{record})
		page, err := s.Tasks(t.Context(), TaskQuery{Namespace: "prod", Name: "train", Limit: 1, Details: true})
		require.NoError(t, err)
		got := page.Items[0]
		require.Equal(t, map[string]float64{"cpu": 2, "memory": 4 << 30, "nvidia.com/gpu": 1}, got.Requests)
		require.Len(t, got.Containers, 2)
		at := func(second int) *time.Time { return new(start.Add(time.Duration(second) * time.Second)) }
		require.Equal(t, historyapi.Container{Name: "main", Image: "registry.example/train:2026.3",
			ImageID:  "registry.example/train@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
			ExitCode: new(int32(7)), Reason: "Error", Message: "boom", Started: at(60), Finished: at(99)}, got.Containers[1])
		require.Equal(t, historyapi.Completion{Code: 7, Phrase: "Code7", Type: "Failed", Attributes: []string{"Permanent"},
			Diagnostics: "the container exited", Words: "the container exited", Plugin: "classifier-exitcode", PluginVersion: "1.0.0", Rule: "rule-7", Remedy: "avoid 7"}, got.Completion)
		require.Equal(t, []*time.Time{at(41), at(50), at(55), at(60), at(99)},
			[]*time.Time{got.PodCreated, got.Scheduled, got.Initialized, got.Ran, got.ContainersEnded})
		require.Equal(t, "prod train uid-prod-train", got.Namespace+" "+got.FrameworkName+" "+got.FrameworkUID)
	})
}

// Pages are complete and without repetition, also through rows with equal times.
func TestPaging(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		var records []*pluginpb.Record
		for i := range 25 {
			f := about("prod", fmt.Sprintf("f%02d", i), 0)
			records = append(records, frameworkRecord(f, 1, 0, nil), taskRecord(f, "worker", 0, 0, 60, "node", 7),
				taskRecord(about("prod", "f00", 0), "many", int32(i), 0, 60, "node", 7))
		}
		ingested(t, s, records)
		frameworks, tasks, ofOne := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for token := ""; ; {
			page, err := s.Frameworks(t.Context(), FrameworkQuery{Range: always, Limit: 7, After: token})
			require.NoError(t, err)
			for _, f := range page.Items {
				require.False(t, frameworks[f.Name])
				frameworks[f.Name] = true
			}
			if token = page.Next; token == "" {
				break
			}
		}
		collect := func(seen map[string]bool, q TaskQuery) {
			for q.Limit = 7; ; {
				page, err := s.Tasks(t.Context(), q)
				require.NoError(t, err)
				for _, a := range page.Items {
					require.False(t, seen[a.Pod])
					seen[a.Pod] = true
				}
				if q.After = page.Next; q.After == "" {
					return
				}
			}
		}
		collect(tasks, TaskQuery{Range: always})
		collect(ofOne, TaskQuery{Namespace: "prod", Name: "f00"})
		require.Equal(t, []int{25, 50, 26}, []int{len(frameworks), len(tasks), len(ofOne)})
		for _, token := range []string{"x", "e30", "WzFd", "WyJhIiwiYiIsImMiXQ", strings.Repeat("A", 500)} {
			_, err := s.Frameworks(t.Context(), FrameworkQuery{Range: always, Limit: 7, After: token})
			require.ErrorIs(t, err, ErrToken, token)
			_, err = s.Tasks(t.Context(), TaskQuery{Range: always, Limit: 7, After: token})
			require.ErrorIs(t, err, ErrToken, token)
		}
	})
}

// Attempts of Tasks are listed from an attempt of the Framework on, page by page.
func TestLastAttempt(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		var records []*pluginpb.Record
		for attempt := range int32(4) {
			for i := range int32(3) {
				records = append(records, taskRecord(about("prod", "train", attempt), "worker", i, 0, int(60*attempt+i), "node", 7))
			}
		}
		ingested(t, s, records)
		for last, want := range map[int32]string{9: "3 3 3 2 2 2 1 1 1 0 0 0", 2: "2 2 2 1 1 1 0 0 0", 0: "0 0 0"} {
			var got []string
			for q := (TaskQuery{Namespace: "prod", Name: "train", LastAttempt: &last, Limit: 2}); ; {
				page, err := s.Tasks(t.Context(), q)
				require.NoError(t, err)
				for _, a := range page.Items {
					got = append(got, fmt.Sprint(a.FrameworkAttempt))
				}
				if q.After = page.Next; q.After == "" {
					break
				}
			}
			require.Equal(t, want, strings.Join(got, " "), last)
		}
		// The token of a page of all attempts does not lead around the bound.
		page, err := s.Tasks(t.Context(), TaskQuery{Namespace: "prod", Name: "train", Limit: 1})
		require.NoError(t, err)
		page, err = s.Tasks(t.Context(), TaskQuery{Namespace: "prod", Name: "train", Limit: 1, LastAttempt: new(int32(1)), After: page.Next})
		require.NoError(t, err)
		require.EqualValues(t, 1, page.Items[0].FrameworkAttempt)
	})
}

// A page with long texts ends early, and the pages are complete and without repetition.
func TestPagesOfLongTexts(t *testing.T) {
	s := opened(t, newFile(t))
	const attempts = 40
	for i := range int32(attempts) {
		r := taskRecord(about("prod", "train", 0), "worker", i, 0, int(i), "node", 7)
		for c := range mostContainers - 2 {
			r.GetTaskAttempt().Containers = append(r.GetTaskAttempt().Containers,
				&pluginpb.ContainerRecord{Name: fmt.Sprintf("c%d", c), Message: strings.Repeat("x", mostText)})
		}
		ingested(t, s, []*pluginpb.Record{r})
	}
	pages, seen := 0, map[string]bool{}
	for q := (TaskQuery{Range: always, Limit: 1000, Details: true}); ; pages++ {
		page, err := s.Tasks(t.Context(), q)
		require.NoError(t, err)
		text, err := json.Marshal(page)
		require.NoError(t, err)
		require.Less(t, len(text), mostPageBytes*5/4)
		for _, a := range page.Items {
			require.False(t, seen[a.Pod])
			seen[a.Pod] = true
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	require.Len(t, seen, attempts)
	require.Equal(t, 2, pages)
}

// A report has the same numbers as adding up the attempts by hand, in whole days and in parts of days.
func TestReport(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := ingested(t, opened(t, create(t)), life())
		for _, r := range []Range{always, {Since: start, Until: start.Add(time.Hour)}, {Since: start.Add(-48 * time.Hour), Until: start.Add(48 * time.Hour)}} {
			report, err := s.Report(t.Context(), ReportQuery{By: "namespace", Range: r})
			require.NoError(t, err)
			require.Len(t, report.Rows, 2)
			// Namespace prod lost its whole first attempt: three attempts of Tasks of 50 s each.
			require.Equal(t, historyapi.ReportRow{Group: "prod", Attempts: 4, Failed: 2, RunSeconds: 200, LostSeconds: 150,
				WaitSeconds: 40, StartSeconds: 40,
				ResourceSeconds:     map[string]float64{"cpu": 400, "memory": 200 * (4 << 30), "nvidia.com/gpu": 200},
				LostResourceSeconds: map[string]float64{"cpu": 300, "memory": 150 * (4 << 30), "nvidia.com/gpu": 150}}, report.Rows[0])
			for by, want := range map[string]string{
				"node":       "node-b 2 100, node-a 3 50",
				"code":       "-110 1 50, 0 2 50, 7 2 50",
				"role":       "worker 4 100, ps 1 50",
				"rule":       " 3 100, rule-7 2 50",
				"label:team": "a 4 150, b 1 0",
				"label:none": " 5 150",
			} {
				report, err := s.Report(t.Context(), ReportQuery{By: by, Range: r})
				require.NoError(t, err)
				var rows []string
				for _, row := range report.Rows {
					rows = append(rows, fmt.Sprintf("%s %d %v", row.Group, row.Attempts, row.LostSeconds))
				}
				require.ElementsMatch(t, strings.Split(want, ", "), rows, by)
			}
			report, err = s.Report(t.Context(), ReportQuery{By: "node", Namespace: "dev", Range: r})
			require.NoError(t, err)
			require.Len(t, report.Rows, 1)
			require.EqualValues(t, 1, report.Rows[0].Attempts)
		}
		_, err := s.Report(t.Context(), ReportQuery{By: "name; DROP TABLE framework", Range: always})
		require.ErrorIs(t, err, ErrBy)
	})
}
