// Command hints-kueue has Kueue decide when an attempt of a Framework may run.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-kueue/kueue"
)

func main() {
	plugin.Serve(kueue.New())
}
