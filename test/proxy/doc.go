// Package proxy stands between a controller and its API server, and does what networks and servers in trouble do.
//
// Connections is for trouble below TLS: a server that is not there, or says nothing, or a network that loses what is
// sent. Server reads the requests, and so is for trouble with single ones; what happens to each is for its caller to say.
package proxy
