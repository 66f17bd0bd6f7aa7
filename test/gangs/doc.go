// Package gangs is shared by the packages that test a plugin for gangs with its scheduler: a cluster, the controller with that plugin,
// further programs beside it, and a Story for each test.
package gangs
