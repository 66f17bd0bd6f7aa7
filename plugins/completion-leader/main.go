// Command completion-leader is a completion policy: the attempt ends as its leading role or Task does.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/completion-leader/leader"
)

func main() {
	plugin.Serve(leader.New())
}
