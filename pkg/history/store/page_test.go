package store

import (
	"database/sql"
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var rewrite = flag.Bool("rewrite", false, "regenerate the tables in docs/reference/history-server.md")

// The manual has the tables as created by the migrations.
func TestManualHasTables(t *testing.T) {
	const path = "../../../docs/reference/history-server.md"
	s := opened(t, newFile(t))
	var text strings.Builder
	text.WriteString("```sql\n")
	err := s.each(t.Context(), "SELECT sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%' ORDER BY rowid", nil,
		func(r *sql.Rows) error {
			var statement string
			err := r.Scan(&statement)
			text.WriteString(statement + ";\n")
			return err
		})
	require.NoError(t, err)
	require.Contains(t, text.String(), "CREATE TABLE task_attempt")
	page.Keep(t, path, page.Generated(t, page.Read(t, path), "tables", text.String()+"```\n"), *rewrite)
}
