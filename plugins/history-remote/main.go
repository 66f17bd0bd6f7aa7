// Command history-remote is a sink that sends the history to a server, and keeps it on disk while the server is away.
package main

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/history-remote/remote"
)

func main() {
	plugin.Serve(remote.New())
}
