package main

import (
	"flag"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var rewrite = flag.Bool("rewrite", false, "regenerate the flags in docs/reference/history-server.md")

// The manual has the help as printed.
func TestManualHasFlags(t *testing.T) {
	const path = "../../docs/reference/history-server.md"
	page.Keep(t, path, page.Generated(t, page.Read(t, path), "flags", "```text\n"+usage+"```\n"), *rewrite)
}
