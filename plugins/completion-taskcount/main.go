// Command completion-taskcount is a completion policy: it applies the thresholds of frameworkAttemptCompletionPolicy.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/completion-taskcount/thresholds"
)

func main() {
	plugin.Serve(thresholds.New())
}
