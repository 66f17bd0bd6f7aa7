package lifecycle

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// Companion is an object of a Framework besides its attempts. It outlives attempts, and nothing waits for it: Pods use it when it
// is ready.
type Companion string

const (
	// NameService is the Service by which DNS resolves the Pods.
	NameService Companion = "service"
	// KeySecret is the Secret with the keys of ssh.
	KeySecret Companion = "secret"
)

// Companions are all companions, in the order of processing.
var Companions = []Companion{NameService, KeySecret}

// CompanionView is the knowledge about the name of a companion. The zero value knows nothing.
type CompanionView struct {
	// Kept: it exists, belongs to the Framework, and matches the spec.
	Kept bool
	// Gone: no object of that name belongs to the Framework.
	Gone bool
}

// stepCompanions requests the creation of companions in the spec, and the deletion of those that are no longer in it. The status
// names a companion from before its creation until it is known to be gone, so that it is not forgotten after a crash. Companions
// are deleted with their Framework.
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

// mayMakeCompanions reports whether the Framework runs, or should run. Otherwise it needs no companion, and keeps the existing
// ones.
func (r *round) mayMakeCompanions() bool {
	held := r.in.Framework.Spec.ExecutionType == v1.ExecutionCreate && r.status.State == v1.AttemptCreationPending
	return !held && !r.stopping() && !r.suspended() && r.status.State != v1.Completed
}

// companion returns the field of the status that names a companion.
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

// Has reports whether the state names a companion: it is wanted, or may still exist.
func (s *State) Has(c Companion) bool {
	if c == KeySecret {
		return s.status.SecretName != ""
	}
	return s.status.ServiceName != ""
}
