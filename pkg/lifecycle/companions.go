package lifecycle

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// Companion is an object that a Framework has beside its attempts. It stays from attempt to attempt, and nothing waits for
// it: what a Pod lacks of it comes later.
type Companion string

const (
	// NameService is the Service by which DNS knows the Pods.
	NameService Companion = "service"
	// KeySecret is the Secret with the keys of ssh.
	KeySecret Companion = "secret"
)

// Companions are all there are, in the order in which they are seen to.
var Companions = []Companion{NameService, KeySecret}

// CompanionView is what is known about the name of a companion. The zero value knows nothing.
type CompanionView struct {
	// Kept: it exists, is the Framework's, and is as the spec wants it.
	Kept bool
	// Gone: nothing of that name is the Framework's.
	Gone bool
}

// stepCompanions has companions made that the spec asks for, and deleted that it does not ask for any more. The status names
// a companion from before it is made until it is known to be gone: after a crash it is not forgotten. Those of what is being
// deleted go with it.
func (r *round) stepCompanions() {
	if r.in.Framework.Deleting {
		return
	}
	for _, c := range Companions {
		view, recorded := r.in.Observed.Companions[c], r.companion(c)
		switch {
		case c.wantedBy(r.in.Framework.Spec):
			r.keepCompanion(c, view)
		case *recorded == "":
		case view.Gone:
			*recorded = ""
		default:
			r.do(DeleteCompanion{c})
		}
	}
}

func (r *round) keepCompanion(c Companion, view CompanionView) {
	if !r.mayMakeCompanions() {
		return
	}
	*r.companion(c) = c.Name(r.in.Framework.Name)
	if !view.Kept {
		r.do(KeepCompanion{c})
	}
}

// mayMakeCompanions reports whether the Framework runs, or is to. What does not needs no companion, and what it has stays.
func (r *round) mayMakeCompanions() bool {
	held := r.in.Framework.Spec.ExecutionType == v1.ExecutionCreate && r.status.State == v1.AttemptCreationPending
	return !held && !r.stopping() && !r.suspended() && r.status.State != v1.Completed
}

// companion is where the status names one.
func (r *round) companion(c Companion) *string {
	if c == KeySecret {
		return &r.status.SecretName
	}
	return &r.status.ServiceName
}

func (c Companion) wantedBy(spec *v1.FrameworkSpec) bool {
	if c == KeySecret {
		return spec.SSH != nil
	}
	return spec.Network != nil && spec.Network.DNS
}

// Name returns the name of a Framework's companion.
func (c Companion) Name(framework string) string {
	if c == KeySecret {
		return v1.SecretName(framework)
	}
	return v1.ServiceName(framework)
}

// Has reports whether the state names a companion: it is to be, or may still be there.
func (s *State) Has(c Companion) bool {
	if c == KeySecret {
		return s.status.SecretName != ""
	}
	return s.status.ServiceName != ""
}
