package lifecycle_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// TestStories runs the stories in testdata, and makes sure that together they show every row of the tables, and keep every
// promise.
func TestStories(t *testing.T) {
	shown := map[string]bool{}
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d stories, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { tell(t, path, shown) })
	}
	for _, row := range allRows() {
		if !shown[row] {
			t.Errorf("no story shows row %s", row)
		}
	}
}

func tell(t *testing.T, path string, shown map[string]bool) {
	story := lifecycletest.NewStory(lifecycletest.Config())
	c := newChecker(t, story)
	c.rows, c.lenient = shown, true
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		out, err := story.Do(d.FullCmd(), d.Input)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return out
	})
}

func noteRows(shown map[string]bool, out lifecycle.Output) {
	for _, move := range out.Moves {
		shown[move.Row], shown[string(move.Retry)] = true, true
	}
	for _, hold := range out.Holds {
		shown[hold.Row] = true
	}
}

// allRows are the rows of both transition tables, and of the retry table for a Framework or a Task.
func allRows() []string {
	var ids []string
	for _, table := range [][]lifecycle.Transition{lifecycle.FrameworkTable(), lifecycle.TaskTable()} {
		for _, row := range table {
			ids = append(ids, row.ID)
		}
	}
	for _, row := range retry.Table() {
		ids = append(ids, string(row.ID))
	}
	return ids
}
