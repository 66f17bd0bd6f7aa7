// Command go-classifier is a failure classifier: one exit code, 42 unless the configuration gives another, means that the
// failure is transient.
package main

import "github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"

func main() {
	plugin.Serve(newPlugin())
}
