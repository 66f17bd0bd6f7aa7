package v1_test

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// The reference is made from the comments of the types by tools/codegen/generate.sh, and make verify compares it. A field or a
// value without a comment would be an empty cell there.
func TestReferenceExplainsEachField(t *testing.T) {
	fields := 0
	for _, row := range page.Rows(page.Read(t, "../../../../docs/reference/api.md")) {
		if strings.HasPrefix(row[0], "<a id=") {
			fields++
		}
		if row[len(row)-1] == "" {
			t.Errorf("no comment: %s", row)
		}
	}
	if fields < 150 {
		t.Errorf("the reference has only %d fields", fields)
	}
}
