package checker

// onePod holds G1, "For one Task identity, the execution intervals of its Pods never overlap". A Task's identity is its place in the
// Framework of that name, in any instance or attempt. It is stricter than the contract: a Pod counts from its creation until it is gone, or
// held.
type onePod struct{}

func (onePod) see(t *replay, c change) {
	if c.pod == nil || c.pod.before != nil || !c.pod.after.made.ours() {
		return
	}
	made := c.pod.after.made
	for _, other := range t.podsOf(c.name.Namespace, made.framework) {
		t.hold(OnePod, c.subject(), other.made.place != made.place,
			"created while Pod %s (%s) of the same Task %s was there", other.Name, other.UID, made.place)
	}
}
