// Package gangs is what the packages share that test a plugin for gangs against the scheduler that it is for: a cluster, the
// controller with that plugin, what runs beside it, and a Story for each test.
package gangs
