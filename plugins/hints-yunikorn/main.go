// Command hints-yunikorn presents Frameworks to the YuniKorn scheduler.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-yunikorn/yunikorn"
)

func main() {
	plugin.Serve(yunikorn.New())
}
