// Package server serves the history over HTTP: it takes records from sinks, and answers the queries of users, who see the Frameworks that
// they may read in the cluster.
//
// It promises that nothing is answered without a proven identity and a review by the API server, unless authentication is off; that sizes,
// times and the number of requests under way are limited; and that the OpenAPI document has every path, parameter and field, because it is
// generated from the table of routes and from the types.
//
//	s := server.New(server.Options{Store: store, Access: server.ClusterAccess(cluster, writers, ""), Log: log})
//	http.Serve(listener, s.Handler())
package server
