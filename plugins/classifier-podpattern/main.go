// Command classifier-podpattern is a failure classifier: it applies the podFailureSpec rules of the configuration.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-podpattern/podpattern"
)

func main() {
	plugin.Serve(podpattern.New())
}
