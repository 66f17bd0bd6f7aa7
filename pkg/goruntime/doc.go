// Package goruntime limits the part of a machine that the Go runtime uses for this process: the number of CPUs, and the
// memory for garbage.
//
// Go's defaults suit a process that has its machine for itself. The controller makes many small requests, and often
// keeps little in memory. The environment variables GOMAXPROCS, GOGC and GOMEMLIMIT, if set, always win.
//
//	goruntime.LimitProcessors()
//	goruntime.CollectSeldom(ctx)
package goruntime
