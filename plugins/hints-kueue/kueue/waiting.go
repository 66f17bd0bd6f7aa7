package kueue

import (
	"cmp"
	"fmt"
	"strings"
)

// anew is the advice for getting another Workload before the attempt was admitted.
const anew = "suspend the Framework and resume it, so that it asks anew"

// whyTheyWait is empty if all Workloads are admitted.
func whyTheyWait(workloads []*workload) string {
	if len(workloads) == 0 {
		return "there is no Workload; " + anew
	}
	for _, w := range workloads {
		if w == nil {
			return "the Workload was deleted; " + anew
		}
		if why := w.whyItWaits(); why != "" {
			return fmt.Sprintf("Workload %s waits in queue %s: %s", w.Metadata.Name, w.Spec.QueueName, why)
		}
	}
	return ""
}

// whyItWaits is in Kueue's words, as far as it has any; empty if the Workload is admitted.
func (w *workload) whyItWaits() string {
	s := w.Status
	switch {
	case w.Spec.Active != nil && !*w.Spec.Active:
		return strings.TrimSuffix("it is deactivated (spec.active is false): "+s.message("Evicted"), ": ")
	case s.is("Evicted", "True") && s.is("QuotaReserved", "True"):
		return s.message("Evicted") + "; " + anew // nothing else gives the quota back
	case s.is("Finished", "True"):
		return "Kueue takes it for finished; " + anew
	case s.is("Admitted", "True"):
		return ""
	case s.is("QuotaReserved", "True"):
		return cmp.Or(s.unready(), "it has quota, and is not admitted yet")
	}
	said := cmp.Or(s.message("QuotaReserved"), s.message("BlockedOnPreemptionGates"), s.message("Evicted"))
	return cmp.Or(said, "Kueue has not looked at it yet; others may be before it in the queue, or Kueue does not run")
}

// unready lists the admission checks that the Workload waits for; empty if all are ready.
func (s status) unready() string {
	var out []string
	for _, c := range s.AdmissionChecks {
		if c.State != "Ready" {
			out = append(out, strings.TrimSuffix(fmt.Sprintf("admission check %s is %s: %s", c.Name, c.State, c.Message), ": "))
		}
	}
	return strings.Join(out, "; ")
}
