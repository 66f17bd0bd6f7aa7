package kueue

import "cmp"

// takenBack returns why an admitted attempt must stop; empty if it may run. Its first Workload had quota when it was admitted. If that
// Workload has none now, it was deleted, and the controller recreated it before hearing of the deletion. A Workload for added Tasks counts
// only once it had quota: until then, only the new Tasks wait.
func takenBack(workloads []*workload) string {
	for i, w := range workloads {
		if reason := w.lost(i == 0); reason != "" {
			return reason
		}
	}
	return ""
}

// lost returns why a Workload no longer has quota; empty if it has quota, or may still get it for the first time.
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
		return "Kueue no longer admits Workload " + w.Metadata.Name + ": " + why
	}
	return ""
}
