package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/hintobjects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// prepareHints creates the objects of the stored hints. If the hints ask for admission, it asks whether Pods may be created.
// If the Framework has since disabled the plugin, there is nothing to create or ask.
func (k *asker) prepareHints(r *record, a lifecycle.PrepareHints) inquiry {
	attempt := r.status.saved.Framework().AttemptStatus
	stored := attempt.SchedulerHints
	r.questions.hintsFor(attempt.ID).Changed = false // later changes lead to another question
	if consult.Disables(r.uses(), stored.Plugin) {
		return func(context.Context) func(*record) {
			return func(r *record) { r.applyAdmission(attempt.ID, a.Scale, admission{}) }
		}
	}
	earlier, now := r.questions.hintsMade, madeHints{attempt.ID, a.Scale, stored.SchedulingDigest}
	decoded, err := consult.DecodeHints(stored)
	answer := decoded.Answer
	p := preparation{
		hints: answer, superseded: stored.Superseded,
		maker: hintobjects.Maker{
			KindOf: k.kinds.Of, Namespace: r.key.Namespace, Framework: r.key.Name, Owner: attemptReference(r),
			Made: earlier == now, Replace: stored.Renewed && !r.status.saved.HintsInUse(),
		},
		scheduler: scheduler{panel: k.panel, uses: r.uses(), hints: answer, plugin: stored.Plugin, client: k.clients.Core, namespace: r.key.Namespace},
	}
	if answer.GetWatch() {
		p.maker.Watched = k.watched
	}
	if earlier.scale == "" || earlier.attempt != now.attempt { // once for an attempt
		p.fields = hintFieldsOf(r, decoded, k.clients.Core.CoreV1().RESTClient())
	}
	if err == nil && answer.GetWait() {
		p.scheduler.question, err = consult.MayCreateRequest(r.inQuestion(), r.framework.Spec, r.status.saved)
		p.scheduler.question.Now = timestamppb.New(k.now())
	}
	return func(ctx context.Context) func(*record) {
		said, isMade := admission{}, false
		if err == nil {
			said, isMade, err = p.perform(ctx)
		}
		return func(r *record) {
			k.reporter.warnOfSkipped(r, said.skipped, "whether Pods may be created")
			if err == nil && len(said.stored) > 0 {
				admitted := *stored
				admitted.Admission = said.stored
				err = r.checkHintsSize(&admitted)
			}
			switch {
			case isMade:
				r.questions.hintsMade = now
			case hintobjects.KindGone(err):
				r.questions.hintsMade = madeHints{} // they are gone with the kind, and are created again once it is back
			}
			if err != nil {
				k.postpone(r, a, err)
			}
			if later := new(retryLaterError); err == nil || errors.As(err, &later) {
				r.applyAdmission(attempt.ID, a.Scale, said)
			} else {
				r.applyHints(attempt.ID, func(view *lifecycle.HintsView) { view.Prepared = "" }) // the question is due again
			}
		}
	}
}

// attemptReference makes an object be deleted with the attempt.
func attemptReference(r *record) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: configMapName(r), UID: r.status.configMapUID(), Controller: &yes}
}

// hintFieldsOf looks for a Task whose Pod has such fields. Errors are left to the creation of the Pod, which reports them.
func hintFieldsOf(r *record, hints consult.StoredHints, client rest.Interface) hintobjects.Fields {
	out := hintobjects.Fields{Client: client, Namespace: r.key.Namespace}
	layers, err := hints.Patches()
	if err != nil {
		return out
	}
	for _, p := range slices.Concat(layers...) {
		fields := map[string]json.RawMessage{}
		if json.Unmarshal(p.GetSpecJson(), &fields) != nil || len(fields) == 0 {
			continue
		}
		build, err := podToBuild(r, lifecycle.CreatePod{Task: lifecycle.TaskRef{Role: p.GetTaskRole(), Index: firstOf(p)}})
		if err != nil {
			continue
		}
		out.Names, out.Build = slices.Sorted(maps.Keys(fields)), build
		return out
	}
	return out
}

func firstOf(p *pluginpb.PodPatch) int32 {
	if ranges := p.GetIndices(); len(ranges) > 0 {
		return ranges[0].GetFirst()
	}
	return 0
}

// madeHints identifies the hints whose objects were all created, by attempt, scale and scheduling request; scale is empty if
// there are none.
type madeHints struct {
	attempt    int32
	scale      string
	scheduling string // digest
}

// preparation is the work before the Pods of an attempt can be created.
type preparation struct {
	hints      *pluginpb.HintResponse
	superseded []v1.HintObject
	maker      hintobjects.Maker
	fields     hintobjects.Fields
	scheduler  scheduler
}

// perform also reports whether everything was created. The scheduler is asked even if the status of its objects could not be
// written, as it may take the attempt back.
func (p preparation) perform(ctx context.Context) (said admission, isMade bool, err error) {
	objects, err := p.maker.Make(ctx, p.hints.GetObjects(), p.superseded)
	if err != nil {
		return said, false, err
	}
	if err := p.fields.Check(ctx); err != nil {
		return said, false, err
	}
	statusErr := p.maker.ApplyStatus(ctx, p.hints.GetObjects(), objects)
	if p.hints.GetWait() {
		if said, err = p.scheduler.ask(ctx, objects); err != nil {
			return said, statusErr == nil, err
		}
	}
	return said, statusErr == nil, statusErr
}

// admission is a scheduler's answer about an attempt. The zero value allows its Pods.
type admission struct {
	notYet   bool
	stored   []byte // the answer as stored; nil if nothing is stored
	eviction *lifecycle.Eviction
	skipped  skippedPlugins
}

func (r *record) applyAdmission(attempt int32, scale string, said admission) {
	r.applyHints(attempt, func(view *lifecycle.HintsView) {
		view.Eviction = said.eviction
		if said.notYet {
			view.Prepared = ""
			return
		}
		if view.Prepared == "" && r.status.saved != nil && r.status.saved.HintsOutdated(r.framework.Spec) {
			return // it was asked with another scheduling, and no Pod is under way: it is asked again
		}
		view.Prepared, view.Admission = scale, said.stored
	})
}

// The intervals at which an undecided scheduler is asked again, with and without a watch of its objects, and the longest
// (plugin.proto).
const (
	schedulerPause  = 5 * time.Second
	watchedPause    = 2 * time.Minute
	schedulerAtMost = time.Hour
)

// scheduler is a plugin that decides when Pods may be created, and its question.
type scheduler struct {
	panel     *consult.Panel
	uses      []v1.PluginUse
	hints     *pluginpb.HintResponse
	plugin    string
	question  *pluginpb.MayCreateRequest
	client    kubernetes.Interface
	namespace string
}

// ask asks about the objects in their current state. If Pods have to wait, the error is a *retryLaterError.
func (s scheduler) ask(ctx context.Context, objects []hintobjects.Object) (admission, error) {
	watched := s.hints.GetWatch()
	for _, o := range objects {
		s.question.Objects = append(s.question.Objects, o.JSON)
		watched = watched && o.Watched
	}
	if s.hints.GetEvents() && !s.question.GetAdmitted() {
		s.question.Events = hintobjects.Events(ctx, s.client, s.namespace, objects)
	}
	said := admission{skipped: skippedPlugins{}}
	answer, err := s.panel.MayCreate(ctx, s.uses, s.plugin, s.question, said.skipped.add)
	switch {
	case err != nil:
		return said, err
	case answer.GetYes():
		said.stored, err = consult.Admission(s.hints, answer)
		return said, err
	}
	said.notYet = true
	reason := answer.GetReason()
	if evict := answer.GetEvict(); evict != nil {
		reason = evict.GetReason()
		if s.hints.GetWatch() && s.question.GetAdmitted() { // otherwise there is nothing to revoke
			said.eviction = &lifecycle.Eviction{Reason: evict.GetReason(), GraceSeconds: evict.GetGraceSeconds()}
		}
	}
	return said, &retryLaterError{s.plugin, reason, pause(answer, watched)}
}

// pause returns the time until a scheduler is asked again.
func pause(answer *pluginpb.MayCreateResponse, watched bool) time.Duration {
	after := time.Duration(answer.GetRetryAfterSeconds()) * time.Second
	switch {
	case after > 0:
		return min(after, schedulerAtMost)
	case watched:
		return watchedPause
	}
	return schedulerPause
}

// retryLaterError is the reason why Pods have to wait for a scheduler, and when to ask it again.
type retryLaterError struct {
	plugin, reason string
	after          time.Duration
}

func (n *retryLaterError) Error() string {
	return fmt.Sprintf("plugin %s: Pods may not be created yet: %s", n.plugin, n.reason)
}
