// Package metrics exposes the state of the controller to Prometheus.
//
// It promises that no label has a value that users choose freely, such as the name of a Framework or a namespace, so the
// number of series is bounded; that methods called within rounds take a fraction of a microsecond; and that the cost of a
// scrape does not depend on the numbers of Frameworks and Tasks. The table of
// docs/reference/metrics.md is made from the help of the metrics.
//
//	m := metrics.New(metrics.Options{Version: version, Codes: codes})
//	host := pluginhost.New(pluginhost.Options{OnCall: m.PluginCalled})
//	c, err := controller.New(clients, controller.Options{Observer: m, QueueMetrics: m.Queue()})
//	m.Follow(c)
//	m.FollowPlugins(host)
//	m.FollowLeader(election.Leading)
//	http.Handle("GET /metrics", m.Handler())
package metrics
