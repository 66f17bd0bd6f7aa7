// Package page reads the Markdown of the documentation, for tests that hold pages to the code.
//
// It knows the Markdown of this project: headings with number signs, blocks fenced by three backquotes, tables whose rows begin
// with a vertical bar. Other Markdown is left to the site, which a complete reader renders.
//
//	text := page.Read(t, "../../docs/reference/codes.md")
//	rows := page.Rows(page.Section(t, text, "## Default rules"))
//	page.Keep(t, path, page.Generated(t, text, "codes", table), *rewrite)
package page
