package kueue

import "cmp"

// takenBack says why an attempt that was admitted must not run any more; empty if it may. The first Workload had quota then.
// One without was deleted, and the controller has made it anew before it heard of that. What was added by a rescale counts
// once it had quota: without that, only the Tasks that are new wait.
func takenBack(workloads []*workload) string {
	for i, w := range workloads {
		if reason := w.lost(i == 0); reason != "" {
			return reason
		}
	}
	return ""
}

// lost says why a Workload has no quota any more; empty if it has, or may get it for the first time.
func (w *workload) lost(isFirst bool) string {
	switch {
	case w == nil:
		return "a Workload of the attempt was deleted, and its quota with it"
	case w.Status.is("Evicted", "True"):
		return "Kueue has evicted Workload " + w.Metadata.Name + ": " + w.Status.message("Evicted")
	case w.Status.is("Finished", "True"):
		return "Kueue takes Workload " + w.Metadata.Name + " for finished: " + w.Status.message("Finished")
	case w.Status.is("Admitted", "False"), isFirst && !w.Status.is("QuotaReserved", "True"):
		why := cmp.Or(w.Status.message("QuotaReserved"), w.Status.message("Admitted"), "it was deleted, and its quota with it")
		return "Kueue does not admit Workload " + w.Metadata.Name + " any more: " + why
	}
	return ""
}
