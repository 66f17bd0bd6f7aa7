package barrier

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// row is what the table that kubectl prints says of a Framework.
type row struct {
	uid, resourceVersion string
	// ungated: something writes the status that does not know of the gate.
	ungated bool
}

func newRow(table *metav1.Table) (row, error) {
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(table.Rows[0].Object.Raw, &object); err != nil {
		return row{}, fmt.Errorf("looking for the Framework: %w", err)
	}
	// A controller that opens gates counts Tasks too. Where the CRD has no such columns, it has no gate to select on
	// either, which the watch will show.
	state, total := cell(table, "State"), cell(table, "Total")
	return row{
		uid:             string(object.UID),
		resourceVersion: object.ResourceVersion,
		ungated:         state != nil && state != "" && total == nil,
	}, nil
}

// cell returns what the first row has in a column; nil if nothing, or if there is no such column.
func cell(table *metav1.Table, column string) any {
	for i, c := range table.ColumnDefinitions {
		if c.Name == column && i < len(table.Rows[0].Cells) {
			return table.Rows[0].Cells[i]
		}
	}
	return nil
}
