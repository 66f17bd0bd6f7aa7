// Command hints-volcano presents Pods to the Volcano scheduler.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-volcano/volcano"
)

func main() {
	plugin.Serve(volcano.New())
}
