package lifecycletest

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// instances numbers the instances of each Task in the order in which they were shown, so that stories need not
// show UIDs.
type instances map[lifecycle.TaskRef][]string

func (names instances) number(ref lifecycle.TaskRef, uid string) int {
	for i, known := range names[ref] {
		if known == uid {
			return i + 1
		}
	}
	names[ref] = append(names[ref], uid)
	return len(names[ref])
}

// showStatus: "status": what is stored.
func (s *Story) showStatus(_ []string, _ string) error {
	state := s.stored()
	if state == nil {
		s.print("no status")
		return nil
	}
	s.print("%s", frameworkLine(state.Framework()))
	for _, e := range state.Framework().Volumes {
		s.print("%s", volumeLine(e))
	}
	for _, role := range state.Roles() {
		status, _ := state.Role(role)
		if status.PodGracefulDeletionTimeoutSec != nil {
			s.print("%s timeout=%d", role, *status.PodGracefulDeletionTimeoutSec)
		}
		if status.Items != nil {
			s.print("%s items=%d", role, status.Items.Number)
		}
		if status.RetriedCount != 0 {
			s.print("%s retried=%d", role, status.RetriedCount)
		}
	}
	for ref, task := range state.Tasks {
		s.print("%s", s.taskLine(ref, task))
	}
	return nil
}

// showTrigger: "trigger": by which Task the attempt has ended, if by one, and why, and what is stored about retries that are left.
func (s *Story) showTrigger(_ []string, _ string) error {
	if state := s.stored(); state != nil && state.Framework().AttemptStatus.CompletionStatus != nil {
		end := state.Framework().AttemptStatus.CompletionStatus
		if by := end.Trigger; by != nil {
			s.print("%s-%d: %s%s", by.TaskRoleName, by.TaskIndex, by.Message, ruleText(by.Rule))
		} else {
			s.print("no Task: %s", end.Diagnostics)
		}
		for i := range end.Retries {
			s.print("%s", verdictText(&end.Retries[i]))
		}
	}
	return nil
}

func ruleText(rule string) string {
	if rule == "" {
		return ""
	}
	return " (" + rule + ")"
}

// verdictText lists the fields of a verdict, without those that are empty.
func verdictText(v *v1.RetryVerdict) string {
	text := "retries of=" + string(v.Of)
	if v.Name != "" {
		text += " name=" + v.Name
	}
	text += fmt.Sprintf(" retryLeft=%t", v.RetryLeft)
	if v.Row != "" {
		text += " row=" + v.Row
	}
	if v.MaxRetryCount != nil {
		text += fmt.Sprintf(" maxRetryCount=%d", *v.MaxRetryCount)
	}
	if v.Budget != "" {
		text += " budget=" + v.Budget
	}
	if v.Window != nil {
		text += fmt.Sprintf(" window=%d/%ds", v.Window.Failures, v.Window.WithinSec)
	}
	return text
}

// stored returns the state that is stored, nil if there is none.
func (s *Story) stored() *lifecycle.State {
	framework := s.server.objects[theFramework]
	if framework == nil {
		return nil
	}
	return s.controller.load(framework.framework.status)
}

func frameworkLine(status *v1.FrameworkStatus) string {
	a := &status.AttemptStatus
	line := fmt.Sprintf("framework %s%s%s", status.State, attempt(a.ID, status.RetryPolicyStatus), placement(a.Placement))
	if t := status.ActiveTime; t != nil {
		line += fmt.Sprintf(" ran=%ds", t.Seconds)
		if t.Since != nil {
			line += " runs"
		}
	}
	if a.CompletionStatus != nil {
		line += outcomeText(a.CompletionStatus.CompletionStatus)
		if trigger := a.CompletionStatus.Trigger; trigger != nil {
			line += fmt.Sprintf(" trigger=%s-%d", trigger.TaskRoleName, trigger.TaskIndex)
		}
	}
	return line
}

func volumeLine(e v1.VolumeStatus) string {
	line := fmt.Sprintf("volume %s per=%s retention=%s claims=%d", e.Name, e.Per, e.Retention, e.Claims)
	if e.Role != "" {
		line += " role=" + e.Role
	}
	if e.Removing > 0 {
		line += fmt.Sprintf(" removing=%d", e.Removing)
	}
	if len(e.Replacing) > 0 {
		line += fmt.Sprintf(" replacing=%v", e.Replacing)
	}
	return line
}

func (s *Story) taskLine(ref lifecycle.TaskRef, task *v1.TaskStatus) string {
	a := &task.AttemptStatus
	instance := "-" // before its first turn
	if task.InstanceUID != "" {
		instance = fmt.Sprint(s.names.number(ref, task.InstanceUID))
	}
	line := fmt.Sprintf("%s #%s %s%s", ref, instance, task.State, attempt(a.ID, task.RetryPolicyStatus))
	if task.DeletionPending {
		line += " deletionPending"
	}
	if a.CompletionStatus != nil {
		line += outcomeText(a.CompletionStatus.CompletionStatus)
	}
	if r := a.Restart; r != nil {
		line += fmt.Sprintf(" restart=%s(%s-%d)", r.Scope, r.TaskRoleName, r.TaskIndex)
	}
	if a.AwaitsTurn {
		line += " awaitsTurn"
	}
	if r := a.AwaitedRestart; r != nil {
		line += fmt.Sprintf(" awaits=%s(%s-%d)", r.Scope, r.TaskRoleName, r.TaskIndex)
		if r.NoPod {
			line += ",noPod"
		}
	}
	return line
}

// showEarlier: "earlier": what is stored of earlier attempts of Tasks.
func (s *Story) showEarlier(_ []string, _ string) error {
	state := s.stored()
	if state == nil {
		return nil
	}
	for ref, task := range state.Tasks {
		for _, a := range task.EarlierAttempts {
			s.print("%s attempt=%d code=%d(%s) node=%s", ref, a.ID, a.Code, a.Phrase, a.Node)
		}
	}
	return nil
}

func placement(p *v1.PlacementStatus) string {
	switch {
	case p == nil:
		return ""
	case p.PlacedTime == nil:
		return " unplaced"
	}
	return " placed"
}

func attempt(id int32, retries v1.RetryPolicyStatus) string {
	line := fmt.Sprintf(" attempt=%d", id)
	if id > 0 {
		line += fmt.Sprintf(" accountable=%d", retries.AccountableRetriedCount)
	}
	for _, b := range retries.Budgets {
		line += fmt.Sprintf(" %s:%d", b.Cause, b.RetriedCount)
	}
	if n := len(retries.RecentFailures); n > 0 {
		line += fmt.Sprintf(" recent=%d", n)
	}
	if retries.RetryDelaySec != nil {
		line += fmt.Sprintf(" delay=%ds", *retries.RetryDelaySec)
	}
	return line
}

func outcomeText(status v1.CompletionStatus) string {
	return fmt.Sprintf(" code=%d(%s)", status.Code, status.Phrase)
}

// showWorld: "world": the objects that exist.
func (s *Story) showWorld(_ []string, _ string) error {
	for k := range kinds {
		for _, o := range s.server.listed(k, func(*object) bool { return true }) {
			s.print("%s", o.text())
		}
	}
	for _, claim := range s.Claims() {
		s.print("%s", claim)
	}
	return nil
}

func (o *object) text() string {
	words := []string{string(o.uid)}
	if o.name.kind == pods {
		words = []string{o.name.ref.String(), string(o.uid), string(o.pod.Phase)}
	}
	if o.name.kind != frameworks && o.owner() == "" {
		words = append(words, "foreign")
	}
	if o.deleting {
		words = append(words, "deleting")
	}
	if o.pod.item != "" {
		words = append(words, "item="+o.pod.item)
	}
	return strings.Join(words, " ")
}

// showConditions: "conditions": conditions, counts, gates, and the other Frameworks that roles have started after.
func (s *Story) showConditions(_ []string, _ string) error {
	state := s.stored()
	if state == nil {
		return nil
	}
	status := state.Framework()
	for _, c := range status.Conditions {
		s.print("%s", strings.TrimSpace(fmt.Sprintf("%s=%s %s %s", c.Type, c.Status, c.Reason, c.Message)))
	}
	if t := status.Tasks; t != nil {
		more := ""
		if t.CutShort > 0 {
			more = fmt.Sprintf(" cutShort=%d", t.CutShort)
		}
		if t.Waiting > 0 {
			more += fmt.Sprintf(" waiting=%d", t.Waiting)
		}
		s.print("tasks total=%d running=%d succeeded=%d failed=%d%s", t.Total, t.Running, t.Succeeded, t.Failed, more)
	}
	s.print("gate=%s", status.Gate)
	if g := status.Gates; g != nil {
		s.print("gates=%s created=%s open=%s", g.Revision, strings.Join(g.Created, ","), strings.Join(g.Open, ","))
	}
	for _, o := range status.StartedAfter {
		s.print("startedAfter=%s uid=%s %s", o.Framework, o.UID, o.Outcome)
	}
	return nil
}

// showEvents: "events": the events since they were last shown.
func (s *Story) showEvents(_ []string, _ string) error {
	for _, e := range s.events {
		kind := "Normal"
		if e.Warning {
			kind = "Warning"
		}
		s.print("%s %s: %s", kind, e.Reason, e.Message)
	}
	s.events = nil
	return nil
}

// showPending: "pending": what keeps Pods from running, and since when, of those that have a deadline.
func (s *Story) showPending(_ []string, _ string) error {
	state := s.stored()
	if state == nil {
		return nil
	}
	for ref, task := range state.Tasks {
		p := task.AttemptStatus.PendingSince
		if p == nil {
			continue
		}
		s.print("%s%s%s%s%s", ref, since(" unscheduled", p.Unscheduled), since(" imagePull", p.ImagePull),
			since(" containerCreate", p.ContainerCreate), since(" notRunning", p.NotRunning))
	}
	return nil
}

func since(what string, t *metav1.Time) string {
	if t == nil {
		return ""
	}
	return what + "=" + t.UTC().Format(time.TimeOnly)
}
