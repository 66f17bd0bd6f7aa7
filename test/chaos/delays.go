package main

import (
	"fmt"
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

// longestMiddle is the limit of the median wait for the first Pod: a few times the duration of a fail-over, which happens all the time
// here. The others may have begun while the API server was down. Without faults, test/security requires much less.
const longestMiddle = 45 * time.Second

// firstPods returns how long each Framework of those plans has waited for its first Pod, in order, to the second. It leaves out Frameworks
// that have to wait by their plan, begin after the faults, or were begun by the original.
func firstPods(h checker.History, plans []plan) []time.Duration {
	made, first := map[string]time.Time{}, map[string]time.Time{}
	earliest := func(times map[string]time.Time, name string, at time.Time) {
		if t, known := times[name]; !known || at.Before(t) {
			times[name] = at
		}
	}
	for _, s := range h.Observations {
		switch {
		case s.Framework != nil && s.Framework.Namespace == namespace:
			earliest(made, s.Framework.Name, s.Framework.CreationTimestamp.Time)
		case s.Pod != nil && s.Pod.Namespace == namespace:
			earliest(first, s.Pod.Labels[v1.KeyFrameworkName], s.Pod.CreationTimestamp.Time)
		}
	}
	var out []time.Duration
	for _, p := range plans {
		at, has := first[p.name]
		if has && p.left == nil && p.squatted == 0 && !p.afterwards {
			out = append(out, at.Sub(made[p.name]))
		}
	}
	slices.Sort(out)
	return out
}

// tellDelays checks and prints how long Frameworks have waited, and returns the problems.
func tellDelays(h checker.History, plans []plan) []string {
	waits := firstPods(h, plans)
	if len(waits) == 0 {
		return []string{"no Framework has had a Pod"}
	}
	middle, longest := waits[len(waits)/2], waits[len(waits)-1]
	fmt.Printf("first Pod  after %s for half of the Frameworks, %s at most\n", middle, longest)
	return differences(middle <= longestMiddle, "half of the Frameworks waited %s or more for their first Pod", middle)
}
