// Package browser opens the page of the history server in a real browser, Debian's Chromium, and compares it with the API. A real
// controller on simulated nodes has made the history. Only sizes that would take hours, odd names and logs are records of Frameworks that
// never ran.
//
// drive.mjs has the browser's side, and uses playwright-core and axe-core, which tools/web/generate.sh install puts into bin/web. Chromium is
// the machine's, or comes from Debian's archive if root runs the tests. Without it or node_modules the tests skip.
//
//	go test ./test/browser            // make page-test
//	go test ./test/browser -rewrite   // new screenshots, in docs/images/page
package browser
