// Command hints-hived presents Pods to the HiveD scheduler.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-hived/hived"
)

func main() {
	plugin.Serve(hived.New())
}
