package kubectl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/version"
)

// rowsPerGroup limits the memory, and lets a reader skip groups by their times.
const rowsPerGroup = 50_000

// parquetFile has rows of one kind. It gets its name once it is complete.
type parquetFile[T any] struct {
	path   string
	file   *os.File
	writer *parquet.GenericWriter[T]
	rows   int
}

// newParquetFile begins a file of an export.
func newParquetFile[T any](x *parquetExport, kind string) (*parquetFile[T], error) {
	f, err := os.CreateTemp(x.dir, "."+kind+".*")
	if err != nil {
		return nil, fmt.Errorf("creating a file in %s: %w", x.dir, err)
	}
	p := &parquetFile[T]{path: filepath.Join(x.dir, kind+".parquet"), file: f, writer: parquet.NewGenericWriter[T](f,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}), parquet.MaxRowsPerRowGroup(rowsPerGroup),
		parquet.CreatedBy("kubectl-framework", version.Number(), version.Commit()))}
	x.completes, x.discards = append(x.completes, p.complete), append(x.discards, p.discard)
	return p, nil
}

func (f *parquetFile[T]) add(row T) error {
	f.rows++
	_, err := f.writer.Write([]T{row})
	return err
}

func (f *parquetFile[T]) complete() error {
	if err := errors.Join(f.writer.Close(), f.file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", f.path, err)
	}
	return os.Rename(f.file.Name(), f.path)
}

// discard removes incomplete files.
func (f *parquetFile[T]) discard() {
	_ = f.file.Close()
	_ = os.Remove(f.file.Name())
}

// parquetExport is a directory with a file for each kind of row.
type parquetExport struct {
	dir        string
	completes  []func() error
	discards   []func()
	frameworks *parquetFile[frameworkRow]
	attempts   *parquetFile[frameworkAttemptRow]
	happenings *parquetFile[happeningRow]
	tasks      *parquetFile[taskAttemptRow]
	shadows    *parquetFile[shadowVerdictRow]
}

// begin creates the files. The caller calls end in any case.
func (x *parquetExport) begin() (err error) {
	if err := os.MkdirAll(x.dir, 0o755); err != nil {
		return err
	}
	if x.frameworks, err = newParquetFile[frameworkRow](x, "frameworks"); err != nil {
		return err
	}
	if x.attempts, err = newParquetFile[frameworkAttemptRow](x, "framework_attempts"); err != nil {
		return err
	}
	if x.happenings, err = newParquetFile[happeningRow](x, "happenings"); err != nil {
		return err
	}
	if x.tasks, err = newParquetFile[taskAttemptRow](x, "task_attempts"); err != nil {
		return err
	}
	x.shadows, err = newParquetFile[shadowVerdictRow](x, "shadow_verdicts")
	return err
}

// end removes the files that are not complete.
func (x *parquetExport) end() {
	for _, discard := range x.discards {
		discard()
	}
}

// writeParquet writes all files before it gives the first of them its name.
func (e *exporting) writeParquet(ctx context.Context, p *past) error {
	x := parquetExport{dir: e.parquet}
	defer x.end()
	if err := x.begin(); err != nil {
		return err
	}
	_, err := p.Frameworks(ctx, p.filter(), 0, func(f historyapi.Framework) error {
		d, err := p.Framework(ctx, f.Namespace, f.Name, f.UID)
		switch {
		case notInHistory(err):
			return x.frameworks.add(rowOfFramework(&f))
		case err != nil:
			return err
		}
		return x.addFramework(&d)
	})
	if err == nil {
		of := p.filter()
		of.Details = true
		_, err = p.Tasks(ctx, of, 0, func(a historyapi.TaskAttempt) error { return x.tasks.add(rowOfTask(&a)) })
	}
	if err == nil {
		_, err = p.ShadowVerdicts(ctx, p.filter(), 0, func(v historyapi.ShadowVerdict) error { return x.shadows.add(rowOfShadow(&v)) })
		if notInHistory(err) { // an older server does not know the path
			err = nil
		}
	}
	if err != nil {
		return p.inPlainWords(err)
	}
	for _, complete := range x.completes {
		if err := complete(); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(e.ErrOut, "%s, %s of them, %s, %s of Tasks and %s in shadow written to %s\n", plural(x.frameworks.rows, "Framework"),
		plural(x.attempts.rows, "attempt"), plural(x.happenings.rows, "happening"), plural(x.tasks.rows, "attempt"), plural(x.shadows.rows, "verdict"), e.parquet)
	return err
}

// addFramework adds a Framework with its attempts and happenings.
func (x *parquetExport) addFramework(d *historyapi.FrameworkDetail) error {
	f := &d.Framework
	if err := x.frameworks.add(rowOfFramework(f)); err != nil {
		return err
	}
	for i := range d.Attempts {
		if err := x.attempts.add(rowOfAttempt(f, &d.Attempts[i])); err != nil {
			return err
		}
	}
	for i := range d.Happenings {
		if err := x.happenings.add(rowOfHappening(f, &d.Happenings[i])); err != nil {
			return err
		}
	}
	return nil
}

// notInHistory reports that a Framework of a list was deleted from the history before it was read.
func notInHistory(err error) bool {
	var refusal *historyclient.Refusal
	return errors.As(err, &refusal) && refusal.Status == http.StatusNotFound
}
