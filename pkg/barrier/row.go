package barrier

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// row is a Framework's row in the table that kubectl prints.
type row struct {
	uid, resourceVersion string
	// Ungated: the writer of the status does not know the gate.
	ungated bool
}

func newRow(table *metav1.Table) (row, error) {
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(table.Rows[0].Object.Raw, &object); err != nil {
		return row{}, fmt.Errorf("looking for the Framework: %w", err)
	}
	// A controller that opens gates counts Tasks too. If the CRD has no such columns, it has no gate to select on
	// either, which the watch will show.
	state, total := cell(table, "State"), cell(table, "Total")
	return row{
		uid:             string(object.UID),
		resourceVersion: object.ResourceVersion,
		ungated:         state != nil && state != "" && total == nil,
	}, nil
}

// cell returns the first row's value in a column; nil if it is empty, or there is no such column.
func cell(table *metav1.Table, column string) any {
	for i, c := range table.ColumnDefinitions {
		if c.Name == column && i < len(table.Rows[0].Cells) {
			return table.Rows[0].Cells[i]
		}
	}
	return nil
}
