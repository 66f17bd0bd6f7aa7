package kubectl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

type exporting struct {
	historyFlags
	output  output
	parquet string // a directory; empty for a file of lines
}

func (c *caller) export() *cobra.Command {
	e := &exporting{historyFlags: historyFlags{caller: c}}
	cmd := &cobra.Command{
		Use:   "export (FILE [-o csv|json] | --parquet DIR) [-A] [--since 30d]",
		Short: "Write the history into files for programs",
		Long: `Write the history into files for programs.

FILE gets one line for each attempt of a Task that ended in the time range: CSV by RFC 4180, or with -o json an object per line. Columns
and fields are only ever added, at the end. FILE is complete if it exists; - is standard output.

With --parquet, DIR gets a Parquet file for each kind of row: frameworks, framework_attempts, happenings, task_attempts with requests and
containers, and shadow_verdicts. A Framework has its newest 1,000 attempts and happenings. The files of an earlier export are replaced once all are complete.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case e.parquet != "" && (len(args) > 0 || e.output.format != ""):
				return errors.New("--parquet names the directory and the form: leave out the file and -o")
			case e.parquet == "" && len(args) == 0:
				return fmt.Errorf("name a file, - for standard output, or a directory with --parquet: %s", cmd.UseLine())
			}
			return atMostArguments(1)(cmd, args)
		},
		RunE: e.run,
	}
	e.addFlags(cmd, "30d")
	e.output.addFlag(cmd, "csv", "json")
	cmd.Flags().StringVar(&e.parquet, "parquet", "", "Write Parquet files into the directory `DIR`, which is created if there is none.")
	return cmd
}

func (e *exporting) run(cmd *cobra.Command, args []string) error {
	if err := e.output.check(); err != nil {
		return err
	}
	p, err := e.connect(cmd.Context())
	if err != nil {
		return err
	}
	defer p.Close()
	if e.parquet != "" {
		return e.writeParquet(cmd.Context(), p)
	}
	if args[0] == "-" {
		_, err := e.write(cmd.Context(), p, data(e.Out))
		return err
	}
	n, err := e.writeFile(cmd.Context(), p, args[0])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.ErrOut, "%s written to %s\n", plural(n, "attempt"), args[0])
	return err
}

// writeFile gives the file its name when it is complete, so that nobody takes a part for the whole.
func (e *exporting) writeFile(ctx context.Context, p *past, path string) (n int, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is no file: use - and a pipe", path) // a device would be replaced by a file
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		if cause := new(os.PathError); errors.As(err, &cause) {
			err = cause.Err // the path of the temporary file is no help
		}
		return 0, fmt.Errorf("creating a file in %s: %w", filepath.Dir(path), err)
	}
	defer os.Remove(f.Name())
	n, err = e.write(ctx, p, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	return n, os.Rename(f.Name(), path)
}

// write writes an attempt after the other, however many there are, and returns their number.
func (e *exporting) write(ctx context.Context, p *past, to io.Writer) (n int, err error) {
	buffered := bufio.NewWriter(to)
	lines := newAttemptLines(buffered, e.output.format)
	_, err = p.Tasks(ctx, p.filter(), 0, func(a historyapi.TaskAttempt) error {
		n++
		return lines.add(&a)
	})
	if err != nil {
		return 0, p.inPlainWords(err)
	}
	return n, errors.Join(lines.end(), buffered.Flush())
}
