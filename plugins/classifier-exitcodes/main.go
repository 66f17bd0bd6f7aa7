// Command classifier-exitcodes is a failure classifier: what exit codes mean, by namespace and role, and what it means
// that they come again.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-exitcodes/exitcodes"
)

func main() {
	plugin.Serve(exitcodes.New())
}
