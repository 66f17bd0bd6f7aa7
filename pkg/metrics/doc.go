// Package metrics tells Prometheus how the controller is.
//
// It promises that no label has a value that users choose freely, such as the name of a Framework or a namespace, so
// the number of series is bounded; that what is called within rounds takes a fraction of a microsecond; and that a
// scrape costs the same however many Frameworks and Tasks there are. What is measured, and what it means, is in the table of
// docs/user-manual/operations.md, which a test holds against the code.
//
//	m := metrics.New(metrics.Options{Version: version, Codes: codes})
//	host := pluginhost.New(pluginhost.Options{OnCall: m.PluginCalled})
//	c, err := controller.New(clients, controller.Options{Observer: m, QueueMetrics: m.Queue()})
//	m.Follow(c)
//	m.FollowPlugins(host)
//	m.FollowLeader(election.Leading)
//	http.Handle("GET /metrics", m.Handler())
package metrics
