// Package goruntime sets how much of a machine the Go runtime takes for this process: how many CPUs, and how much memory
// for garbage.
//
// Go's defaults are made for a process that has its machine for itself. The controller makes many small requests, and often
// keeps little in memory. An environment variable that says otherwise always wins: GOMAXPROCS, GOGC, GOMEMLIMIT.
//
//	goruntime.LimitProcessors()
//	goruntime.CollectSeldom(ctx)
package goruntime
