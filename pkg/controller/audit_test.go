package controller

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// The contract (2.11) requires certain facts to be stored before an action. So in every test, each request of the controller is
// checked against the status that was stored at that time, and each status against the one before.

// mutation is a request that changes something, with the stored state at that time.
type mutation struct {
	request   apitest.Request
	framework types.UID
	status    *v1.FrameworkStatus
	target    *unstructured.Unstructured // the created or deleted object
}

// audit checks all that the controller has done, and returns how often each rule was put to use.
func (w *world) audit() map[string]int {
	w.t.Helper()
	uses, stored := map[string]int{}, statuses{}
	for _, pattern := range []string{"create configmaps", "create pods", "delete configmaps", "delete pods", "delete frameworks"} {
		for _, q := range w.Requests(pattern) {
			d, known := w.mutation(q, stored)
			if !known {
				continue
			}
			rule, broken := d.judge(pattern)
			if broken != "" && w.slow {
				broken = w.checkEarlier(d, pattern, broken, stored)
			}
			uses[rule]++
			if broken != "" {
				w.t.Errorf("%s: %s: %s", q.String(), rule, broken)
			}
		}
	}
	w.auditCompanions()
	w.auditClaims()
	if !w.tampered {
		w.auditHistories()
	}
	return uses
}

// auditCompanions checks that a companion was made only while the stored status named it.
func (w *world) auditCompanions() {
	w.t.Helper()
	names := map[string]func(*v1.FrameworkStatus) string{
		apitest.Services: func(s *v1.FrameworkStatus) string { return s.ServiceName },
		apitest.Secrets:  func(s *v1.FrameworkStatus) string { return s.SecretName },
	}
	for resource, named := range names {
		for _, q := range w.Requests("create " + resource) {
			if f := w.Stored(q, apitest.Frameworks, frameworkName(q)); f != nil && named(statusOf(f)) != q.Name {
				w.t.Errorf("%s: the stored status names %q", q.String(), named(statusOf(f)))
			}
		}
	}
}

// auditClaims checks that a claim was created only while the stored status had an entry for it, and deleted only while the status
// marked it as being removed.
func (w *world) auditClaims() {
	w.t.Helper()
	for _, verb := range []string{"create", "delete"} {
		for _, q := range w.Requests(verb + " " + apitest.Claims) {
			f := w.Stored(q, apitest.Frameworks, frameworkName(q))
			if f == nil || slices.ContainsFunc(statusOf(f).Volumes, func(e v1.VolumeStatus) bool { return entryHas(e, q, verb == "delete") }) {
				continue
			}
			w.t.Errorf("%s: the stored status has the volumes %+v", q.String(), statusOf(f).Volumes)
		}
	}
}

// entryHas reports whether an entry of the status lists the claim of a request: among all its claims, or only among the ones being
// removed.
func entryHas(e v1.VolumeStatus, q apitest.Request, removing bool) bool {
	for i := range e.Claims {
		if v1.ClaimName(frameworkName(q), e.Name, e.Per, e.Role, i) == q.Name {
			return !removing || i >= e.Claims-e.Removing || slices.Contains(e.Replacing, i)
		}
	}
	return false
}

// mutation looks up the stored state. It is unknown if the Framework, or the object to delete, was gone.
func (w *world) mutation(q apitest.Request, of statuses) (d mutation, known bool) {
	d = mutation{request: q, target: &unstructured.Unstructured{Object: q.Body}}
	if q.Verb == "delete" {
		d.target = w.Stored(q, q.Resource, q.Name)
	}
	stored := w.Stored(q, apitest.Frameworks, frameworkName(q))
	if d.target == nil || stored == nil || q.Verb == "create" && !d.says(v1.KeyFrameworkUID, stored.GetUID()) {
		return d, false
	}
	d.framework, d.status = stored.GetUID(), of.status(stored)
	return d, true
}

// statuses has each that was stored decoded once, by UID and version: many requests go back to the same one.
type statuses map[string]*v1.FrameworkStatus

func (s statuses) status(o *unstructured.Unstructured) *v1.FrameworkStatus {
	key := string(o.GetUID()) + "/" + o.GetResourceVersion()
	if s[key] == nil {
		s[key] = statusOf(o)
	}
	return s[key]
}

// checkEarlier is judge for a request that may have been long on its way: some status that was stored before must
// have called for it.
func (w *world) checkEarlier(d mutation, kind, broken string, of statuses) string {
	for _, o := range w.StoredBefore(d.request, apitest.Frameworks, frameworkName(d.request)) {
		d.framework, d.status = o.GetUID(), of.status(o)
		if _, earlier := d.judge(kind); earlier == "" {
			return ""
		}
	}
	return broken
}

// frameworkName returns the name of the Framework that a request is for; the names of objects begin with it.
func frameworkName(q apitest.Request) string {
	name, _, _ := strings.Cut(q.Name, "-")
	return name
}

// judge returns the rule that applies, and how it is broken; empty if it is kept.
func (d mutation) judge(kind string) (rule, broken string) {
	attempt := &d.status.AttemptStatus
	switch kind {
	case "create configmaps":
		return "ConfigMap after its attempt", unless(d.status.State == v1.AttemptCreationPending && d.says(v1.KeyFrameworkAttemptID, attempt.ID),
			"the stored attempt is %d in %s", attempt.ID, d.status.State)
	case "create pods":
		return "Pod after its Task's attempt and the ConfigMap's UID", d.judgePod()
	case "delete frameworks":
		return "Framework after its completion", unless(d.uid() == string(d.framework) && d.status.State == v1.Completed,
			"the UID precondition is %q, and stored is %s in %s", d.uid(), d.framework, d.status.State)
	case "delete configmaps":
		return d.judgeDeletion("ConfigMap", attempt.ConfigMapUID == nil || string(*attempt.ConfigMapUID) != d.uid(),
			d.status.State == v1.AttemptCreationRequested, attempt.CompletionStatus != nil)
	}
	return d.judgePodDeletion()
}

func unless(kept bool, format string, args ...any) string {
	if kept {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

func (d mutation) uid() string {
	uid, _, _ := unstructured.NestedString(d.request.Body, "preconditions", "uid")
	return uid
}

func (d mutation) says(key string, value any) bool {
	return d.target.GetAnnotations()[key] == fmt.Sprint(value)
}

func (d mutation) judgePod() string {
	owner := d.target.GetOwnerReferences()[0].UID
	if recorded := d.status.AttemptStatus.ConfigMapUID; recorded == nil || *recorded != owner {
		return fmt.Sprintf("the ConfigMap %s is not stored, but that of attempt %d in %s", owner, d.status.AttemptStatus.ID, d.status.State)
	}
	for _, r := range d.status.AttemptStatus.TaskRoleStatuses {
		for _, t := range r.TaskStatuses {
			if d.says(v1.KeyTaskUID, t.InstanceUID) {
				return unless(t.State == v1.AttemptCreationPending && d.says(v1.KeyTaskAttemptID, t.AttemptStatus.ID),
					"the Task's stored attempt is %d in %s", t.AttemptStatus.ID, t.State)
			}
		}
	}
	return "its Task is not stored"
}

func (d mutation) judgePodDeletion() (rule, broken string) {
	for _, r := range d.status.AttemptStatus.TaskRoleStatuses {
		for _, t := range r.TaskStatuses {
			if uid := t.AttemptStatus.PodUID; uid == nil || string(*uid) != d.uid() {
				continue
			}
			if grace, found, _ := unstructured.NestedInt64(d.request.Body, "gracePeriodSeconds"); found && grace == 0 {
				return "Pod by force after the timeout's copy", unless(r.PodGracefulDeletionTimeoutSec != nil, "no timeout is stored")
			}
			return d.judgeDeletion("Pod", false, t.State == v1.AttemptCreationRequested, t.AttemptStatus.CompletionStatus != nil)
		}
	}
	return d.judgeDeletion("Pod", true, false, false)
}

// judgeDeletion: a deletion has a UID precondition, and no status accounts for the object, or the object never showed up, or the
// outcome is stored.
func (d mutation) judgeDeletion(kind string, leftover, invisible, decided bool) (rule, broken string) {
	switch {
	case d.uid() == "":
		return kind, "there is no UID precondition"
	case leftover:
		return kind + " left over", ""
	case invisible:
		return kind + " that never showed up", ""
	}
	return kind + " after its outcome", unless(decided, "no completionStatus is stored")
}

// auditHistories checks that the fields of one Framework that clients read only move forward.
func (w *world) auditHistories() {
	w.t.Helper()
	for _, name := range w.frameworkNames() {
		var before *unstructured.Unstructured
		old := &v1.FrameworkStatus{}
		for _, after := range w.History(apitest.Frameworks, name) {
			status := statusOf(after)
			if before != nil && after != nil && before.GetUID() == after.GetUID() {
				w.auditStep(name, old, status)
			}
			before, old = after, status
		}
	}
}

func (w *world) frameworkNames() []string {
	var names []string
	for _, q := range w.Requests("get frameworks") {
		if !slices.Contains(names, q.Name) {
			names = append(names, q.Name)
		}
	}
	return names
}

func (w *world) auditStep(name string, before, after *v1.FrameworkStatus) {
	w.t.Helper()
	a, b := &before.AttemptStatus, &after.AttemptStatus
	if a.ID != b.ID {
		w.auditRetry("framework "+name, before.State, a.ID, b.ID)
		return
	}
	if before.State == "" {
		return
	}
	w.auditFixed(name+": configMapUID", a.ConfigMapUID, b.ConfigMapUID)
	w.auditFixed(name+": completionStatus", a.CompletionStatus, b.CompletionStatus)
	for _, role := range a.TaskRoleStatuses {
		for i, x := range role.TaskStatuses {
			y := taskOfStatus(after, role.Name, i)
			what := fmt.Sprintf("framework %s: task %s-%d", name, role.Name, i)
			if x.InstanceUID == y.InstanceUID || x.InstanceUID == "" && x.AttemptStatus.AwaitsTurn { // its UID is set at its first turn
				w.auditTask(what, &x, &y)
			} else if !x.DeletionPending || x.State != v1.Completed {
				w.t.Errorf("%s was dropped in %s", what, x.State)
			}
		}
	}
}

func (w *world) auditTask(what string, before, after *v1.TaskStatus) {
	w.t.Helper()
	if before.DeletionPending && !after.DeletionPending {
		w.t.Errorf("%s is not to be removed any more", what)
	}
	if before.AttemptStatus.ID != after.AttemptStatus.ID {
		w.auditRetry(what, before.State, before.AttemptStatus.ID, after.AttemptStatus.ID)
		return
	}
	w.auditFixed(what+": podUID", before.AttemptStatus.PodUID, after.AttemptStatus.PodUID)
	w.auditFixed(what+": completionStatus", before.AttemptStatus.CompletionStatus, after.AttemptStatus.CompletionStatus)
}

// auditRetry checks that an attempt follows the previous one only after that was stored as completed.
func (w *world) auditRetry(what string, state v1.State, before, after int32) {
	w.t.Helper()
	if after != before+1 || state != v1.AttemptCompleted {
		w.t.Errorf("%s: attempt %d follows attempt %d in %s", what, after, before, state)
	}
}

// auditFixed checks that something does not change once it is set.
func (w *world) auditFixed(what string, before, after any) {
	w.t.Helper()
	if !reflect.ValueOf(before).IsNil() && !reflect.DeepEqual(before, after) {
		w.t.Errorf("%s has changed from %v to %v", what, before, after)
	}
}
