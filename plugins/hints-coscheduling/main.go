// Command hints-coscheduling presents Frameworks to the coscheduling plugin of kube-scheduler.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-coscheduling/coscheduling"
)

func main() {
	plugin.Serve(coscheduling.New())
}
