package completion

import (
	"strings"
	"time"
)

// ClassPatience is how long a Task attempt waits for a PriorityClass or RuntimeClass that its Pod names. If both are applied
// together, the class exists within seconds. If its name is misspelled, the class never exists.
const ClassPatience = time.Minute

// passing are the refusals with 403 that pass by themselves, such as in a namespace that was created a moment ago. The API server
// gives them no structured cause, so their text is the test. Only a terminating namespace has one, and that does not pass.
var passing = []struct {
	texts []string // all of them are in the message
	// lacks is the result of Lacks; empty if no object is missing.
	lacks string
	// within limits the wait; zero for ever.
	within time.Duration
}{
	{texts: []string{"error looking up service account ", `serviceaccount "`, " not found"}, lacks: "ServiceAccountNotFound"},
	{texts: []string{"error looking up service account "}},
	{texts: []string{"no PriorityClass with name ", " was found"}, lacks: "PriorityClassNotFound", within: ClassPatience},
	{texts: []string{"pod rejected: RuntimeClass ", " not found"}, lacks: "RuntimeClassNotFound", within: ClassPatience},
	// A quota of a new namespace, whose use is not counted yet; and none at all where the cluster wants one.
	{texts: []string{"status unknown for quota: "}},
	{texts: []string{"insufficient quota to consume: "}},
	// An API server that has just started, or cannot read its own limits.
	{texts: []string{"not yet ready to handle request"}},
	{texts: []string{"at this time because there was an error enforcing limit ranges"}},
}

// Lacks returns the reason of the condition Waiting, such as ServiceAccountNotFound, for a Pod that names a missing
// object. It is empty if no object is missing, or if the missing object is not expected to be created.
func (e CreationError) Lacks() string {
	lacks, _ := e.passes()
	return lacks
}

// passes reports whether it is a refusal with 403 that passes by itself, and what the Pod lacks; empty if nothing.
func (e CreationError) passes() (lacks string, passes bool) {
	if !e.is(forbidden) {
		return "", false
	}
	for _, p := range passing {
		if containsAll(e.Message, p.texts) && (p.within == 0 || e.Waited < p.within) {
			return p.lacks, true
		}
	}
	return "", false
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
