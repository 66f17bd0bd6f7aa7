package checker

// oneAttempt holds G3, "For one Framework identity (name), executions of two attempts, or of two same-named Framework
// objects, never overlap". Each attempt has a ConfigMap of its own.
type oneAttempt struct{}

func (oneAttempt) see(t *replay, c change) {
	if c.pod == nil || c.pod.before != nil || !c.pod.after.made.ours() {
		return
	}
	made := c.pod.after.made
	for _, other := range t.podsOf(c.name.Namespace, made.framework) {
		t.hold(OneAttempt, c.subject(), other.made.configMapUID == made.configMapUID,
			"created for ConfigMap %s while Pod %s of ConfigMap %s was there", made.configMapUID, other.Name, other.made.configMapUID)
	}
}
