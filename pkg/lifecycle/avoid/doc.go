// Package avoid keeps the list of nodes that later Pods of a Framework avoid (status.avoidedNodes).
//
// It promises that the list stays bounded, sorted and without duplicates, that no entry lasts longer than its policy or plugin
// allows at the time, and that an entry, once relaxed, stays relaxed. It is pure: it takes a list and new facts, never changes
// the list, and returns the next one. It does not look at nodes: only the scheduler knows whether there are others. The caller
// finds out whether a failure may be the node's and when a Pod must be relaxed, and stores the list; objects.NodesAvoidedBy turns
// it into the affinity of a role's Pods.
//
//	next := avoid.Blame(list, failure, policies)         // an attempt has failed on a node; same list if nothing avoids it
//	next = avoid.Unexpired(next, policies, now)          // in place of list when something is to be stored
//	next, needed := avoid.Relax(next, role)              // no other node was found for a Pod of the role
//	for _, n := range avoid.Added(list, next) { ... }    // nodes that are newly avoided
//	message := avoid.Describe(avoid.Added(list, next))   // for an event
//
// # Words
//
// An entry has a source: the avoidNodes of the retry policy of the role or of the Framework, or a plugin that has judged the
// failure. A Pod prefers other nodes (Prefer), or must not go to an avoided one (Require). A Pod that must avoid nodes may find
// no other. Its own spec does not ask for that, so the entries are relaxed: from then on they are only preferences.
package avoid
