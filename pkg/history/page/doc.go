// Package page has the web page of the history server: files that a browser takes as they are, without a build. They read the API beside
// them, and nothing else.
//
// It promises that the browser loads nothing from other hosts and runs no script but these files, whatever the history contains: the
// Content-Security-Policy forbids it. The files are public, as they have no data; the API decides who may read.
//
//	mux.Handle("GET /", page.Handler(notFound))
//
// static/vendor has modules of others, which tools/web/generate.sh puts there.
package page
