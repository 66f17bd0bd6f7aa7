// Command plugin-new writes a plugin that is ready to build: a module of its own with a main package, its test, and the files that a user
// needs to try it. make plugin-new calls it, in the root folder of a checkout.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	var w wish
	flag.StringVar(&w.name, "name", "", "of the plugin: lower case letters, digits and '-'")
	flag.StringVar(&w.kind, "kind", "", "FailureClassifier, CompletionPolicy, SchedulerHints or HistorySink")
	flag.StringVar(&w.dir, "dir", "", "folder to write to (default: the name)")
	flag.StringVar(&w.checkout, "checkout", ".", "root folder of a checkout of frameworkcontroller")
	flag.Parse()
	if err := w.fulfil(); err != nil {
		fmt.Fprintln(os.Stderr, "plugin-new:", err)
		os.Exit(1)
	}
	fmt.Printf("wrote a plugin of the kind %s; %s/README.md says how to go on\n", w.kind, w.dir)
}
