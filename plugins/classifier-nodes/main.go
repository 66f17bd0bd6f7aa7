// Command classifier-nodes is a failure classifier: a Pod that has failed on a node with which something is wrong was not at
// fault.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-nodes/nodefault"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-nodes/nodewatch"
)

func main() {
	plugin.Serve(nodefault.New(nodewatch.Start))
}
