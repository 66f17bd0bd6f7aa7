// Package clustertest is what the packages share whose tests run on a cluster of their own: it starts one around them and
// stops it, builds what they test, and reads what its API server writes down and what a controller says of itself.
package clustertest
