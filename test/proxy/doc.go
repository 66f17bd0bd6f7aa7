// Package proxy stands between a controller and its API server, and imitates networks and servers in trouble.
//
// Connections is for trouble below TLS: a server that is missing, or silent, or a network that loses data. Server reads the requests, and
// so is for trouble with single ones; its caller decides about each.
package proxy
