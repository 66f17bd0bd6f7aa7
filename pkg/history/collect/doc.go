// Package collect reads the logs of Pods from the API server before the Pods are deleted, and stores them.
//
// It answers within 4 seconds, and before the deadline of its caller, even if a node is away or the API server does not answer. A log is
// never stored under another Pod of the same name, and a log that is requested twice is stored once. Memory is limited, no matter how many
// Pods end at once, and how much they have written. Package logs decides which part of a log is kept, and package store writes the rows.
//
//	c := collect.New(collect.Options{Cluster: client, Store: store, Config: config, Log: log})
//	defer c.Close()
//	err := c.Collect(ctx, "default", request)
//
// Vocabulary:
//
//   - Reading: the log of one start of a container while it is read. It continues after the answer.
//   - Follower: the reading of a running container. It continues until the container has ended.
package collect
