package controller

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// admit accounts for the memory of a Framework that was read. If it exceeds a limit and the Framework is new or changed, it is
// left out: nothing is done for it until there is room, or until it is changed again.
func (rd *reader) admit(ctx context.Context, r *record, stored *storedFramework) (admitted bool, err error) {
	before := r.leftOut
	r.leftOut = leftOut{}
	if r.leaves() || r.unchanged() {
		rd.account(r)
		return true, nil
	}
	own, pods := r.weight()
	conditions := conditionsOf(stored.Status)
	if r.status.saved == nil && before == (leftOut{}) && waitsForMemory(conditions) {
		rd.leaveOut(r, errors.New("it was left out")) // Frameworks that had been admitted come first
		r.leftOut = leftOut{own, pods}
		return false, nil
	}
	if full := rd.memory.Admit(r.key, own, pods); full != nil {
		rd.leaveOut(r, full)
		r.leftOut = leftOut{own, pods}
		return false, rd.reportLeftOut(ctx, r, full, conditions)
	}
	return true, nil
}

// unchanged reports whether the status already takes the spec into account. Growth of metadata and status is no reason to
// leave a running Framework alone, and neither is admission by another process.
func (r *record) unchanged() bool {
	return r.status.saved != nil && r.status.saved.Framework().ObservedGeneration == r.framework.Generation
}

// account records the memory that a Framework has come to take.
func (rd *reader) account(r *record) {
	own, pods := r.weight()
	rd.memory.Set(r.key, own, pods)
}

// leaveOut leaves a Framework out until its next look. It drops the data that was read, except for the history of one that has
// begun. Its Pods keep running.
func (rd *reader) leaveOut(r *record, why error) {
	r.stored.leftAlone = why
	r.builders, r.items, r.given, r.framework.Spec = nil, nil, &v1.FrameworkSpec{}, &v1.FrameworkSpec{}
	if r.status.saved == nil {
		r.stored.spec = nil
	}
	rd.reporter.counts.LeaveOut(&r.reported.counted, reason.MemoryLimitReached)
	rd.queue.AddAfter(r.key, flowcontrol.MaxDelay)
}

// reportLeftOut reports on the Framework itself that it is left out.
func (rd *reader) reportLeftOut(ctx context.Context, r *record, full error, conditions []metav1.Condition) error {
	goesOn := waitsForMemory(conditions)
	changed := meta.SetStatusCondition(&conditions, metav1.Condition{
		Type:               v1.ConditionWaiting,
		Status:             metav1.ConditionTrue,
		ObservedGeneration: r.stored.meta.Generation,
		LastTransitionTime: metav1.NewTime(rd.now()),
		Reason:             string(reason.MemoryLimitReached),
		Message:            completion.Cut(full.Error()+"; it goes on when others have ended, or are smaller", longestMessage),
	})
	if !changed {
		return nil
	}
	fields := map[string]any{"conditions": conditions}
	if !goesOn { // otherwise the wait began before, as it is stored
		fields["waiting"] = waitForMemory(metav1.NewTime(rd.now()))
	}
	err := rd.writer.patchStatus(ctx, r, fields)
	r.status.rewrite = r.status.rewrite || r.status.saved != nil && !declined(err)
	switch {
	case apierrors.IsConflict(err):
		r.stored.unread = true
		return errStale
	case err != nil && !declined(err):
		r.stored.unread = true
		return fmt.Errorf("reporting that framework %s is left out: %w", r.key, err)
	}
	rd.reporter.warnOnce(r, reason.MemoryLimitReached.Event(), "", full.Error())
	return nil
}

// waitForMemory is the field waiting of a status for a merge patch that leaves nothing of the wait before.
func waitForMemory(since metav1.Time) map[string]any {
	fields := map[string]any{}
	of := reflect.TypeFor[v1.WaitingStatus]()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		fields[name] = nil
	}
	fields["reason"], fields["since"] = reason.MemoryLimitReached, since
	return fields
}

// readmit makes a Framework that was left out be read again once it fits. It does nothing for others.
func (rd *reader) readmit(r *record) {
	switch {
	case r.leftOut == leftOut{}:
	case rd.memory.Fits(r.key, r.leftOut.own, r.leftOut.pods):
		r.stored.unread = true
	default:
		rd.queue.AddAfter(r.key, flowcontrol.MaxDelay)
	}
}
