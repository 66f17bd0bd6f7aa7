package kubectl

import (
	"bytes"
	"io"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/printers"
)

// table is printed as kubectl prints tables.
type table struct {
	columns   []column
	rows      []metav1.TableRow
	wide      bool // includes the columns that are for -o wide
	noHeaders bool
}

type column struct {
	name string
	wide bool
}

// add adds a row. Each text is put on one line.
func (t *table) add(cells ...any) {
	for i, cell := range cells {
		if text, ok := cell.(string); ok {
			cells[i] = onOneLine(text)
		}
	}
	t.rows = append(t.rows, metav1.TableRow{Cells: cells})
}

// insert adds a column to a table with rows.
func (t *table) insert(at int, c column, cell func(row int) any) {
	t.columns = slices.Insert(t.columns, at, c)
	for i := range t.rows {
		t.rows[i].Cells = slices.Insert(t.rows[i].Cells, at, cell(i))
	}
}

func (t *table) print(out io.Writer) error {
	printed := &metav1.Table{Rows: t.rows}
	for _, c := range t.columns {
		priority := int32(0)
		if c.wide {
			priority = 1
		}
		printed.ColumnDefinitions = append(printed.ColumnDefinitions, metav1.TableColumnDefinition{Name: c.name, Type: "string", Priority: priority})
	}
	var text bytes.Buffer // the printer writes each cell separately, which doubles the time for 10,000 rows
	if err := printers.NewTablePrinter(printers.PrintOptions{Wide: t.wide, NoHeaders: t.noHeaders}).PrintObj(printed, &text); err != nil {
		return err
	}
	_, err := out.Write(text.Bytes())
	return err
}

func ago(at time.Time) string { return duration.HumanDuration(time.Since(at)) }
