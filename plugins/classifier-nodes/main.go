// Command classifier-nodes is a failure classifier: it excuses a Pod that failed on a faulty node.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-nodes/nodefault"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-nodes/nodewatch"
)

func main() {
	plugin.Serve(nodefault.New(nodewatch.Start))
}
