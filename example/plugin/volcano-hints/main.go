// Command volcano-hints has the Volcano scheduler run the Tasks of a Framework all at once or not at all: it makes a
// PodGroup for each attempt, waits until Volcano has admitted it, and says in the Pods that they belong to it.
package main

import "github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"

func main() {
	plugin.Serve(newPlugin())
}
