package kueue

// status is Kueue's status of a Workload.
type status struct {
	Conditions      []condition      `json:"conditions,omitempty"`
	Admission       *admission       `json:"admission,omitempty"`
	AdmissionChecks []admissionCheck `json:"admissionChecks,omitempty"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type admission struct {
	PodSetAssignments []assignment `json:"podSetAssignments"`
}

type assignment struct {
	Name               string              `json:"name"`
	Flavors            map[string]string   `json:"flavors,omitempty"` // by resource
	Count              *int32              `json:"count,omitempty"`   // nil: as the spec says
	TopologyAssignment *topologyAssignment `json:"topologyAssignment,omitempty"`
}

type admissionCheck struct {
	Name          string         `json:"name"`
	State         string         `json:"state"` // Pending, Ready, Retry or Rejected
	Message       string         `json:"message"`
	PodSetUpdates []podSetUpdate `json:"podSetUpdates,omitempty"`
}

type podSetUpdate struct {
	Name         string            `json:"name"`
	Labels       map[string]string `json:"labels,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	Tolerations  []toleration      `json:"tolerations,omitempty"`
}

// is reports whether a condition has that status; a missing condition has none.
func (s status) is(kind, is string) bool {
	for _, c := range s.Conditions {
		if c.Type == kind {
			return c.Status == is
		}
	}
	return false
}

// message of a condition.
func (s status) message(kind string) string {
	for _, c := range s.Conditions {
		if c.Type == kind {
			return c.Message
		}
	}
	return ""
}
