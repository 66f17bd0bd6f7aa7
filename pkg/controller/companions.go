package controller

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/hintobjects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// How long an answer about a companion is valid. Secrets are not watched, as that would take the permission to list all of
// them, so this is how soon a missing one is noticed. An answer about a Service is valid until the watch has caught up with
// it.
const (
	companionCounts  = 5 * time.Minute
	watchCatchesUpIn = 10 * time.Second
)

var (
	services = corev1.SchemeGroupVersion.WithResource("services")
	secrets  = corev1.SchemeGroupVersion.WithResource("secrets")
)

// companion is the knowledge about a companion of the Framework beyond the watch.
//
// Invariant: while answered is not zero, kept is the API server's answer at that time.
type companion struct {
	facts    facts // about its name: whether an action is under way, and when one has failed
	asked    int64 // generation of the spec that the last action was for
	answered time.Time
	kept     bool // it is as that spec wants it; otherwise the Framework has no object of that name
}

// companion returns the entry of a companion, created if need be.
func (d *dependents) companion(c lifecycle.Companion) *companion {
	if d.companions == nil {
		d.companions = map[lifecycle.Companion]*companion{}
	}
	if d.companions[c] == nil {
		d.companions[c] = &companion{}
	}
	return d.companions[c]
}

// forgetCompanions makes them be looked up again.
func (d *dependents) forgetCompanions() {
	for _, c := range d.companions {
		c.answered = time.Time{}
	}
}

// noteAsked records the spec that an action on a companion is for.
func (r *record) noteAsked(a lifecycle.Action) {
	if c, ok := companionOf(a); ok {
		r.dependents.companion(c).asked = r.framework.Generation
	}
}

// applyCompanionResult records the result of an action on a companion.
func (r *record) applyCompanionResult(n result, now time.Time) {
	c, ok := companionOf(n.action)
	if !ok || n.err != nil {
		return
	}
	_, kept := n.action.(lifecycle.KeepCompanion)
	known := r.dependents.companion(c)
	known.answered, known.kept = now, kept
}

// observeCompanions returns views of the companions that the status names. Again is when one has to be looked up without an
// event; zero for none.
func (w *watches) observeCompanions(r *record, now time.Time) (views map[lifecycle.Companion]lifecycle.CompanionView, again time.Time) {
	for _, c := range lifecycle.Companions {
		if r.status.saved == nil || !r.status.saved.Has(c) {
			continue
		}
		if views == nil {
			views = map[lifecycle.Companion]lifecycle.CompanionView{}
		}
		view, until := w.observeCompanion(r, c, now)
		views[c], again = view, earlier(again, until)
	}
	return views, again
}

// observeCompanion returns the view of one companion, and until when it is valid; zero if the watch reports its end, or nobody
// needs it.
func (w *watches) observeCompanion(r *record, c lifecycle.Companion, now time.Time) (view lifecycle.CompanionView, until time.Time) {
	counts := companionCounts
	if c == lifecycle.NameService {
		shown, works := w.companions.Shown(services, r.key.Namespace, v1.ServiceName(r.key.Name))
		if wanted := wantedService(r); wanted != nil && shown != nil && isService(shown, r, wanted) {
			return lifecycle.CompanionView{Kept: true}, time.Time{}
		}
		if works {
			counts = watchCatchesUpIn
		}
	}
	known := r.dependents.companions[c]
	if known == nil || known.answered.IsZero() || known.asked != r.framework.Generation {
		return view, time.Time{}
	}
	until = known.answered.Add(counts)
	if !now.Before(until) {
		return view, time.Time{}
	}
	if r.status.completed() || createsNothing(&r.framework) {
		until = time.Time{}
	}
	return lifecycle.CompanionView{Kept: known.kept, Gone: !known.kept}, until
}

// wantedService is the Service that the spec asks for; nil if it asks for none.
func wantedService(r *record) *corev1.Service {
	network := r.framework.Spec.Network
	if network == nil || !network.DNS {
		return nil
	}
	return objects.Service(owner(r), network.PublishNotReadyAddresses == nil || *network.PublishNotReadyAddresses)
}

// selection is the part of a Service that is read.
type selection struct {
	framework string // selects the Pods of this Framework; empty if it selects others
	early     bool   // includes Pods that are not ready
}

// readingServices reads Services that are controlled by Frameworks.
var readingServices = hintobjects.Reading[selection]{
	MayOwn: func(framework string, controller *metav1.OwnerReference) bool {
		return controller != nil && controller.Kind == v1.FrameworkKind && controller.Name == framework
	},
	Read: func(o *unstructured.Unstructured) (selection, int) {
		selector, _, err := unstructured.NestedStringMap(o.Object, "spec", "selector")
		early, _, earlyErr := unstructured.NestedBool(o.Object, "spec", "publishNotReadyAddresses")
		if err != nil || earlyErr != nil || len(selector) != 1 {
			return selection{}, 0
		}
		return selection{strings.Clone(selector[v1.KeyFrameworkName]), early}, 0
	},
}

// isService reports whether an object is the Framework's Service, and in the wanted form.
func isService(o *hintobjects.WatchedObject[selection], r *record, wanted *corev1.Service) bool {
	return o.Content != nil && controlledBy(o, r.uid) && o.DeletionTimestamp == nil &&
		*o.Content == selection{wanted.Spec.Selector[v1.KeyFrameworkName], wanted.Spec.PublishNotReadyAddresses}
}

func sameSelection(selector map[string]string, early bool, wanted *corev1.Service) bool {
	return len(selector) == 1 && selector[v1.KeyFrameworkName] == wanted.Spec.Selector[v1.KeyFrameworkName] &&
		early == wanted.Spec.PublishNotReadyAddresses
}

// earlier returns the earlier of two times; a zero time does not count.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func companionResource(c lifecycle.Companion) schema.GroupVersionResource {
	if c == lifecycle.KeySecret {
		return secrets
	}
	return services
}
