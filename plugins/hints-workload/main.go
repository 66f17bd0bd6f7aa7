// Command hints-workload presents Frameworks to Kubernetes' own gang scheduling.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-workload/workload"
)

func main() {
	plugin.Serve(workload.New())
}
