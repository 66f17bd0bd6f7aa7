// Command classifier-exitcodes is a failure classifier: it judges exit codes by namespace and role, and by their
// recurrence.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-exitcodes/exitcodes"
)

func main() {
	plugin.Serve(exitcodes.New())
}
