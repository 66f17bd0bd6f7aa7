package controller

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// reported is what users, the history and the counts have been told of the Framework, and what they are still to be told.
//
// Invariant: early grows only before the Framework is read, and is empty in a round that decides.
// Invariant: logged is nil after a round that was completed: what was dropped then is not decided again.
type reported struct {
	warned  warned             // what its users have been told already
	logged  map[dropped]bool   // what the history has since a status was stored last
	early   []*cachedPod       // Pods that went before the Framework was read, for the history
	deleted *metav1.ObjectMeta // of the Framework, when its deletion was watched; nil before
	counted counted            // in the census
}
