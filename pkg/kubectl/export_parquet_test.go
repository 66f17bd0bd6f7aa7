package kubectl

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// detailServer has the details of each Framework of the list but one, which is deleted in between.
type detailServer struct{ pastServer }

func (s detailServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/v1/frameworks/default/train" {
		s.answer(w, readJSON[historyapi.FrameworkDetail](s.T, "train.json"))
		return
	}
	s.pastServer.ServeHTTP(w, r)
}

// Each file has all rows and columns of its kind, a deleted Framework is included without attempts, and a failed export leaves the previous
// files.
func TestExportParquet(t *testing.T) {
	withoutCluster(t)
	server := httptest.NewServer(detailServer{pastServer{t}})
	t.Setenv(historyURL, server.URL)
	dir := filepath.Join(t.TempDir(), "new", "export")
	require.Equal(t, "5 Frameworks, 4 attempts of them, 3 happenings, 7 attempts of Tasks and 3 verdicts in shadow written to "+dir+"\n",
		transcribe(t.Context(), []string{"export", "-A", "--parquet", dir}))

	detail := readJSON[historyapi.FrameworkDetail](t, "train.json")
	var frameworks []frameworkRow
	for _, f := range readJSON[[]historyapi.Framework](t, "frameworks.json") {
		frameworks = append(frameworks, rowOfFramework(&f))
		if f.UID == detail.Framework.UID {
			frameworks[len(frameworks)-1] = rowOfFramework(&detail.Framework)
		}
	}
	requireRows(t, dir, "frameworks", frameworks)
	var attempts []frameworkAttemptRow
	for _, a := range detail.Attempts {
		attempts = append(attempts, rowOfAttempt(&detail.Framework, &a))
	}
	requireRows(t, dir, "framework_attempts", attempts)
	var happenings []happeningRow
	for _, h := range detail.Happenings {
		happenings = append(happenings, rowOfHappening(&detail.Framework, &h))
	}
	requireRows(t, dir, "happenings", happenings)
	var tasks []taskAttemptRow
	for _, a := range readJSON[[]historyapi.TaskAttempt](t, "tasks.json") {
		tasks = append(tasks, rowOfTask(&a))
	}
	require.Len(t, tasks[2].Containers, 3)
	requireRows(t, dir, "task_attempts", tasks)

	var shadows []shadowVerdictRow
	for _, v := range readJSON[[]historyapi.ShadowVerdict](t, "shadow_verdicts.json") {
		shadows = append(shadows, rowOfShadow(&v))
	}
	requireRows(t, dir, "shadow_verdicts", shadows)

	before := contents(t, dir)
	server.Close()
	require.Contains(t, transcribe(t.Context(), []string{"export", "--parquet", dir}), "does not answer")
	require.Equal(t, before, contents(t, dir))
	require.Contains(t, transcribe(t.Context(), []string{"export", "a.csv", "--parquet", dir}), "leave out the file")
}

// requireRows compares a file with rows. A map or list without entries is read as an empty one.
func requireRows[T any](t *testing.T, dir, kind string, want []T) {
	t.Helper()
	got, err := parquet.ReadFile[T](filepath.Join(dir, kind+".parquet"))
	require.NoError(t, err)
	for _, rows := range [][]T{got, want} {
		for i := range rows {
			withoutEmpty(reflect.ValueOf(&rows[i]).Elem())
		}
	}
	require.Equal(t, want, got)
}

// withoutEmpty makes empty maps and lists nil.
func withoutEmpty(row reflect.Value) {
	for i := range row.NumField() {
		switch f := row.Field(i); {
		case row.Type().Field(i).Anonymous:
			for j := range f.NumField() {
				if v := f.Field(j); v.Kind() == reflect.Slice && v.Len() == 0 {
					v.SetZero()
				}
			}
		case (f.Kind() == reflect.Slice || f.Kind() == reflect.Map) && f.Len() == 0:
			f.SetZero()
		}
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all[e.Name()] = read(t, filepath.Join(dir, e.Name()))
	}
	return all
}

// The manual has each column of each file.
func TestManualHasParquetColumns(t *testing.T) {
	manual := read(t, "../../docs/reference/history-export.md")
	for kind, schema := range map[string]*parquet.Schema{
		"frameworks": parquet.SchemaOf(frameworkRow{}), "framework_attempts": parquet.SchemaOf(frameworkAttemptRow{}),
		"happenings": parquet.SchemaOf(happeningRow{}), "task_attempts": parquet.SchemaOf(taskAttemptRow{}),
		"shadow_verdicts": parquet.SchemaOf(shadowVerdictRow{}),
	} {
		_, section, found := strings.Cut(manual, "## "+kind+".parquet\n")
		require.True(t, found, kind)
		section, _, _ = strings.Cut(section, "\n## ")
		for _, f := range schema.Fields() {
			require.Contains(t, section, "`"+f.Name()+"`", kind)
		}
	}
}

// A group of rows is in memory at most, however many rows a file has.
func TestRowGroups(t *testing.T) {
	x := parquetExport{dir: t.TempDir()}
	defer x.end()
	require.NoError(t, x.begin())
	for i := range rowsPerGroup + 1 {
		require.NoError(t, x.happenings.add(happeningRow{Framework: "train", FrameworkAttempt: int32(i)}))
	}
	require.NoError(t, x.happenings.complete())
	f, err := os.Open(x.happenings.path)
	require.NoError(t, err)
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	p, err := parquet.OpenFile(f, size)
	require.NoError(t, err)
	require.Len(t, p.RowGroups(), 2)
	require.EqualValues(t, rowsPerGroup+1, p.NumRows())
}
